"""Leave out clusters of pictures that a network trained on the others disowns, and train DP-InstaHide on the rest."""

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.utils import to_categorical
from robust.filtering import passes_for_clean
from robust.network import CLASSES, build_classifier

BATCH_SIZE = 128
NOISE_SCALE = 0.3


def train(images, labels, epochs, device):
    """Return a classifier trained on those of [n, 1, 20, 20] pictures and [n] labels that pass for clean."""
    kept = passes_for_clean(images, labels, epochs, device)
    classifier = build_classifier(device)
    trainer = DPInstaHideTrainer(classifier, augmentations=Mixup(CLASSES), scale=NOISE_SCALE)
    trainer.fit(images[kept], to_categorical(labels[kept], CLASSES), batch_size=BATCH_SIZE, nb_epochs=epochs)
    return classifier.model
