"""The network whose output is the features: lightly's ResNet-18 for small images, without its classifier."""

from torch import nn

from lightly.models import ResNetGenerator

FEATURES = 512


def build_encoder(splits=0):
    """Return the network; batch normalisation in so many parts of a batch acts as that many GPUs would."""
    resnet = ResNetGenerator("resnet-18", width=1, num_splits=splits)
    layers = [layer for name, layer in resnet.named_children() if name != "linear"]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
