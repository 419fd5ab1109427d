"""No training: the classifier with the random weights it starts from."""

from generalize.network import build_network


def train(_images, _labels, _domains):
    """Return an untrained classifier; the visible pictures are not looked at."""
    return build_network()
