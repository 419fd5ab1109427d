"""The network that estimates how probable label 1 is."""

import torch
from torch import nn

HIDDEN = 16


class Predictor(nn.Module):
    """One hidden layer, and a probability of label 1 for every row. Features are already standardised."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1), nn.Sigmoid())

    def forward(self, features):
        """Return [n, 1] probabilities."""
        return self.layers(features)


def probabilities(predictor, features):
    """Return [n] probabilities of label 1, without gradients."""
    predictor.eval()
    with torch.no_grad():
        return predictor(features)[:, 0]
