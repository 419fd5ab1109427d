"""The network whose output is the features."""

from torch import nn

FEATURES = 64
HIDDEN = 256


def build_encoder(inputs):
    """A perceptron with two hidden layers; about 100,000 weights."""
    return nn.Sequential(layer(inputs, HIDDEN), layer(HIDDEN, HIDDEN), nn.Linear(HIDDEN, FEATURES))


def layer(inputs, outputs):
    """A linear map with batch normalisation and ReLU."""
    return nn.Sequential(nn.Linear(inputs, outputs, bias=False), nn.BatchNorm1d(outputs), nn.ReLU())
