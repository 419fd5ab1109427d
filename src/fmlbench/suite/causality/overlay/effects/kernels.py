"""Kernels on what the network makes of units: their factors and their representation."""

import torch

INVERSE_LENGTH = 1.7


def measure_scaling(views):
    """Return centre and spread of each view over all units."""
    flat = [view.flatten(0, 1) for view in views]
    return [(one.mean(dim=0), (one - one.mean(dim=0)).square().sum(dim=1).mean().sqrt()) for one in flat]


def rescale(views, scaling):
    """Centre each view and give it spread one."""
    return [(view - centre) / spread for view, (centre, spread) in zip(views, scaling, strict=True)]


def kernel(left, right, variances):
    """Add up a linear and a Gaussian kernel on each view; ``variances`` are two for each view."""
    total = 0
    for one, other, linear, smooth in zip(left, right, variances[::2], variances[1::2], strict=True):
        products = one @ other.mT
        distances = one.square().sum(-1)[..., :, None] + other.square().sum(-1)[..., None, :] - 2 * products
        total = total + linear * products + smooth * torch.exp(-INVERSE_LENGTH * distances.clamp(min=0))
    return total
