"""Directions of the covariates that matter in many realisations: independent components of linear coefficients."""

import torch

ROUNDS = 200


def find_factors(covariates, treatment, outcomes, number, ridge):
    """Return directions [covariates, number] along which units have spread one.

    Each realisation is fitted by ridge regression on covariates, treatment and their products. The coefficients of all
    realisations together, those of the products included, point into the space of the common factors. A realisation
    uses few of them, so the rotation that makes the coefficients sparse points along the factors themselves.
    """
    size = covariates.shape[2]
    contrast = (treatment - 0.5)[:, :, None]
    features = torch.cat([covariates, covariates * contrast, contrast, torch.ones_like(contrast)], dim=2)
    moments = features.mT @ features + ridge * torch.eye(features.shape[2])
    coefficients = torch.linalg.solve(moments, features.mT @ outcomes[:, :, None])[:, :, 0]
    left, sizes, right = torch.linalg.svd(torch.cat([coefficients[:, :size], coefficients[:, size : 2 * size]]))
    directions = right[:number].T * sizes[:number] @ rotate(left[:, :number] * len(left) ** 0.5)
    return directions / (covariates @ directions).flatten(0, 1).std(dim=0)


def rotate(scores):
    """FastICA (Hyvarinen 1999) with the cubic contrast: the rotation of white ``scores`` with the largest kurtosis."""
    rotation = torch.eye(scores.shape[1])
    for _ in range(ROUNDS):
        left, _, right = torch.linalg.svd(scores.T @ (scores @ rotation) ** 3)
        rotation = left @ right
    return rotation
