"""DP-InstaHide: train on mixtures of pictures with noise added, which drown what few pictures have in common."""

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.utils import to_categorical
from robust.network import CLASSES, build_classifier

BATCH_SIZE = 128
PICTURES_MIXED = 2
NOISE = "laplacian"
NOISE_SCALE = 0.3


def train(images, labels, epochs, device):
    """Return a classifier trained on [n, 1, 20, 20] pictures in [0, 1] and their [n] labels, some of them poisoned."""
    classifier = build_classifier(device)
    mixup = Mixup(CLASSES, num_mix=PICTURES_MIXED)
    trainer = DPInstaHideTrainer(classifier, augmentations=mixup, noise=NOISE, scale=NOISE_SCALE)
    trainer.fit(images, to_categorical(labels, CLASSES), batch_size=BATCH_SIZE, nb_epochs=epochs)
    right = classifier.predict(images).argmax(axis=1) == labels
    print(f"{right.mean():.1%} of the training pictures get the label they came with", flush=True)
    return classifier.model
