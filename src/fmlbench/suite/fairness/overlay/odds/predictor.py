"""The network that estimates how probable label 1 is, and what it needs to know about its inputs."""

import torch
from torch import nn

HIDDEN = 16


class Predictor(nn.Module):
    """Standardised features, one hidden layer, and a probability of label 1 for every row."""

    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", features.mean(dim=0))
        self.register_buffer("deviation", features.std(dim=0) + 1e-6)
        self.layers = nn.Sequential(nn.Linear(features.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1), nn.Sigmoid())

    def forward(self, features):
        """Return [n, 1] probabilities."""
        return self.layers((features - self.mean) / self.deviation)


def probabilities(predictor, features):
    """Return [n] probabilities of label 1, without gradients."""
    predictor.eval()
    with torch.no_grad():
        return predictor(features)[:, 0]
