"""Directions of the covariates that matter in many realisations: principal components of linear coefficients."""

import torch


def find_factors(covariates, treatment, outcomes, number, ridge):
    """Return directions [covariates, number] along which units have spread one.

    Each realisation is fitted by ridge regression on covariates, treatment and their products. The coefficients of all
    realisations together, those of the products included, point into the space of the common factors.
    """
    size = covariates.shape[2]
    contrast = (treatment - 0.5)[:, :, None]
    features = torch.cat([covariates, covariates * contrast, contrast, torch.ones_like(contrast)], dim=2)
    moments = features.mT @ features + ridge * torch.eye(features.shape[2])
    coefficients = torch.linalg.solve(moments, features.mT @ outcomes[:, :, None])[:, :, 0]
    stacked = torch.cat([coefficients[:, :size], coefficients[:, size : 2 * size]])
    directions = torch.linalg.svd(stacked).Vh[:number].T
    return directions / (covariates @ directions).flatten(0, 1).std(dim=0)
