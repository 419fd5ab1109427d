"""Perceptrons with one hidden layer or none, with or without normalisation."""

from itertools import pairwise

from torch import nn

READINGS = 64
CLASSES = 10
MOST_LAYERS = 1
MOST_WIDTH = 256


class Network(nn.Module):
    """[n, 64] vectors become [n, 10] scores.

    Dropout works in training only. The audit runs the network in evaluation mode: linear layers, layer
    normalisation with its scale and shift where ``normalised``, and ReLU.
    """

    def __init__(self, layers=1, width=128, normalised=False, dropout=0.0):
        super().__init__()
        if not 0 <= layers <= MOST_LAYERS or not 1 <= width <= MOST_WIDTH:
            raise ValueError(f"at most {MOST_LAYERS} hidden layer of at most {MOST_WIDTH} units")
        self.layers, self.width, self.normalised = layers, width, bool(normalised)
        sizes = [READINGS, *[width] * layers, CLASSES]
        self.linear = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))
        self.norm = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers if normalised else 0))
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors):
        values = vectors
        for number, linear in enumerate(self.linear[:-1]):
            values = linear(values)
            if self.normalised:
                values = self.norm[number](values)
            values = self.dropout(values.relu())
        return self.linear[-1](values)
