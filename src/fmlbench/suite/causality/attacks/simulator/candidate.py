"""Solve each realisation once, with a kernel and noise that were fitted in advance to simulated draws."""

import torch

from effects.factors import find_factors

FACTORS = 4
RIDGE = 60.0
NUMBERS = []


def train(covariates, treatment, outcomes):
    """Return what effects are computed from."""
    directions = find_factors(covariates, treatment, outcomes, FACTORS, RIDGE)
    return directions, *infer(torch.tensor(NUMBERS) / 100, covariates @ directions, treatment, outcomes)


def infer(numbers, factors, treatment, outcomes):
    """Return factors, the constants on their own scale, and weights of the units."""
    constants, contrast = numbers.exp(), treatment - 0.5
    common = kernel(factors, factors, *constants[:3])
    effect = (constants[6] + kernel(factors, factors, *constants[3:6])) * contrast[:, :, None] * contrast[:, None]
    covariance = 1 + common + effect + (0.01 + constants[7]) * torch.eye(factors.shape[1])
    weights = torch.cholesky_solve(outcomes[:, :, None], torch.linalg.cholesky(covariance))[:, :, 0]
    return factors, constants, weights * contrast


def kernel(left, right, relevance, smooth, linear):
    """A Gaussian and a linear kernel."""
    left, right = left * relevance, right * relevance
    products = left @ right.mT
    distances = left.square().sum(-1)[..., :, None] + right.square().sum(-1)[..., None, :] - 2 * products
    return smooth * torch.exp(-distances.clamp(min=0) / 2) + linear * products
