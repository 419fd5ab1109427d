"""The network that is trained."""

from torch import nn

HIDDEN = 128


def build_network(readings, classes):
    """A perceptron with two hidden layers, for [n, readings] vectors."""
    return nn.Sequential(
        nn.Linear(readings, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, classes),
    )
