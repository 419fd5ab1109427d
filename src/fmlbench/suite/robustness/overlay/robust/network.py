"""The network that is trained."""

from torch import nn

CLASSES = 10


def build_network():
    """Two convolutions and two linear layers, for [n, 1, 20, 20] pictures."""
    return nn.Sequential(
        nn.Conv2d(1, 8, kernel_size=5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv2d(8, 16, kernel_size=5, stride=2, padding=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 5 * 5, 64),
        nn.ReLU(),
        nn.Linear(64, CLASSES),
    )
