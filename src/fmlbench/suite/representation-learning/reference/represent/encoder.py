"""Quadratic units: whether a view is a negative does not change a square."""

import torch
from torch import nn

FEATURES = 64
HIDDEN = 512


class Square(nn.Module):
    """Squares of its inputs."""

    def forward(self, inputs):
        return torch.square(inputs)


def build_encoder(inputs):
    """One hidden layer of squares, normalised over the batch."""
    return nn.Sequential(nn.Linear(inputs, HIDDEN), Square(), nn.BatchNorm1d(HIDDEN), nn.Linear(HIDDEN, FEATURES))
