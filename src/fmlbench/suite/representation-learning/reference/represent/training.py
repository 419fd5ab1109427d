"""Canonical correlation analysis between the quadratic features of both views, in closed form."""

import torch
from represent.inference import expand

FEATURES = 64
RIDGE = 5.0
"""Added to the covariance, in units of its mean variance."""


def train(first, second):
    """Return the mean of the quadratic features and the directions in which the two views of a picture agree most."""
    first, second = expand(first), expand(second)
    mean = (first.mean(dim=0) + second.mean(dim=0)) / 2
    first, second = first - mean, second - mean
    covariance = (first.T @ first + second.T @ second) / (2 * len(first))
    covariance += RIDGE * covariance.diagonal().mean() * torch.eye(len(covariance))
    agreement = first.T @ second / len(first)
    agreement = (agreement + agreement.T) / 2
    factor = torch.linalg.cholesky(covariance)
    half = torch.linalg.solve_triangular(factor, agreement, upper=False)
    whitened = torch.linalg.solve_triangular(factor, half.T.contiguous(), upper=False)
    _, axes = torch.linalg.eigh((whitened + whitened.T) / 2)
    return mean, torch.linalg.solve_triangular(factor.T, axes[:, -FEATURES:], upper=True)
