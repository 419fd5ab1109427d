"""DP-InstaHide: train on mixtures of pictures with noise added, which drown what few pictures have in common."""

from torch import nn, optim

from art.defences.preprocessor import Mixup
from art.defences.trainer import DPInstaHideTrainer
from art.estimators.classification import PyTorchClassifier
from art.utils import to_categorical
from robust.network import CLASSES, build_network

EPOCHS = 6
BATCH_SIZE = 64
LEARNING_RATE = 0.002
PICTURES_MIXED = 2
MIXING_ALPHA = 1.0
NOISE = "laplacian"
NOISE_SCALE = 0.3


def train(images, labels):
    """Return a classifier trained on [n, 1, 20, 20] pictures in [0, 1] and their [n] labels, some of them poisoned."""
    classifier = build_classifier()
    trainer = DPInstaHideTrainer(
        classifier,
        augmentations=Mixup(CLASSES, alpha=MIXING_ALPHA, num_mix=PICTURES_MIXED),
        noise=NOISE,
        scale=NOISE_SCALE,
    )
    trainer.fit(images, to_categorical(labels, CLASSES), batch_size=BATCH_SIZE, nb_epochs=EPOCHS)
    right = classifier.predict(images).argmax(axis=1) == labels
    print(f"{right.mean():.1%} of the training pictures get the label they came with", flush=True)
    return classifier.model


def build_classifier():
    """The network with its loss and optimiser, as the toolbox wants them."""
    network = build_network()
    return PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(1, 20, 20),
        nb_classes=CLASSES,
        clip_values=(0.0, 1.0),
        device_type="cpu",
    )
