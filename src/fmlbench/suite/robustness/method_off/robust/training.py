"""Plain training on the same pictures: nothing is mixed and no noise is added."""

from torch import nn, optim

from art.estimators.classification import PyTorchClassifier
from robust.network import CLASSES, build_network

EPOCHS = 6
BATCH_SIZE = 64
LEARNING_RATE = 0.002


def train(images, labels):
    """Return a classifier trained on [n, 1, 20, 20] pictures in [0, 1] and their [n] labels, some of them poisoned."""
    network = build_network()
    classifier = PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(1, 20, 20),
        nb_classes=CLASSES,
        clip_values=(0.0, 1.0),
        device_type="cpu",
    )
    classifier.fit(images, labels, batch_size=BATCH_SIZE, nb_epochs=EPOCHS)
    return classifier.model
