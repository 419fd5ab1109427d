"""Plain training on all vectors: no contributor is distrusted, nothing is mixed and no noise is added."""

from torch import nn, optim

from art.estimators.classification import PyTorchClassifier
from robust.network import build_network

EPOCHS = 40
BATCH_SIZE = 128
LEARNING_RATE = 0.003


def train(vectors, labels, _sources):
    """Return a classifier trained on [n, readings] vectors and their [n] labels, from all contributors."""
    readings, classes = vectors.shape[1], int(labels.max()) + 1
    network = build_network(readings, classes)
    classifier = PyTorchClassifier(
        network,
        loss=nn.CrossEntropyLoss(),
        optimizer=optim.Adam(network.parameters(), lr=LEARNING_RATE),
        input_shape=(readings,),
        nb_classes=classes,
        device_type="cpu",
    )
    classifier.fit(vectors, labels, batch_size=BATCH_SIZE, nb_epochs=EPOCHS)
    return classifier.model
