"""The network that turns a drawing into a feature vector."""

import torch
from torch import nn


def convolution(in_channels, out_channels, pool):
    """A convolution block of Snell et al. (2017), with the pooling moved forward to save time."""
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False),
        nn.MaxPool2d(2) if pool else nn.Identity(),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )


def build_backbone():
    """Four convolution blocks: [n, 1, 28, 28] drawings become [n, 576] features."""
    backbone = nn.Sequential(
        convolution(1, 16, pool=True),
        convolution(16, 32, pool=True),
        convolution(32, 64, pool=True),
        convolution(64, 64, pool=False),
        nn.Flatten(),
    )
    return backbone.to(memory_format=torch.channels_last)
