"""No training: the classifier with its random initial weights."""

from generalize.network import build_network


def train(readings, _labels, _domains):
    """Return an untrained classifier."""
    return build_network(readings.shape[1])
