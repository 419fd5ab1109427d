"""No prototypes: the support set is not looked at."""

import torch
from torch import nn

from easyfsl.methods import PrototypicalNetworks


class RandomPrototypes(PrototypicalNetworks):
    """Puts the prototypes anywhere among the features of other classes."""

    def __init__(self, features):
        super().__init__(nn.Identity(), feature_normalization=2)
        self.anywhere = self.compute_features(features[torch.randperm(len(features))[:5]])

    def process_support_set(self, support_images, support_labels):
        """Take the same prototypes whatever is shown."""
        self.prototypes = self.anywhere


def train(features, _labels):
    """Return a classifier that learns nothing from the support set."""
    return RandomPrototypes(features)
