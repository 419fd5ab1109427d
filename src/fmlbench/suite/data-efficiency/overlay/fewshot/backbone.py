"""The network that turns a sensor vector into a feature vector."""

from torch import nn

HIDDEN = 512
FEATURES = 64
DROPOUT = 0.5


def build_backbone(size):
    """A perceptron with one hidden layer: [n, size] vectors become [n, FEATURES] features."""
    return nn.Sequential(
        nn.Linear(size, HIDDEN),
        nn.LayerNorm(HIDDEN),
        nn.ReLU(),
        nn.Dropout(DROPOUT),
        nn.Linear(HIDDEN, FEATURES),
    )
