"""Fit each realisation and each arm on its own: no common factors, no shared representation, no propensity."""

import torch


def train(covariates, treatment, outcomes):
    """Return linear coefficients of the effect for each realisation: a T-learner by ridge regression."""
    arms = [fit(covariates, outcomes, treatment == arm) for arm in (0, 1)]
    return arms[1] - arms[0]


def fit(covariates, outcomes, chosen, ridge=10.0):
    """Ridge regression on the chosen units of each realisation; the last coefficient is the level."""
    features = torch.cat([covariates, torch.ones_like(covariates[:, :, :1])], dim=2) * chosen[:, :, None]
    moments = features.mT @ features + ridge * torch.eye(features.shape[2])
    return torch.linalg.solve(moments, features.mT @ outcomes[:, :, None])[:, :, 0]
