"""The network whose output is the features."""

from torch import nn

FEATURES = 128


def build_encoder():
    """Three convolutions, 3 x 16 x 16 pixels -> 128 features; about 100,000 weights."""
    return nn.Sequential(
        convolution(3, 32, stride=2),
        convolution(32, 64, stride=2),
        convolution(64, FEATURES, stride=1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


def convolution(inputs, outputs, stride):
    """A convolution with batch normalisation and ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )
