"""What is prepared before any episode is seen."""

from torch import nn

from easyfsl.methods import PrototypicalNetworks


def train(_features, _labels):
    """Return a few-shot classifier.

    The features [n, 640] of the training classes and their [n] classes are there to learn from. The baseline learns
    nothing: the features come from a trained network, and Prototypical Networks have no parameters of their own. As in
    easyfsl's benchmark, features get the length 1.
    """
    return PrototypicalNetworks(nn.Identity(), feature_normalization=2)
