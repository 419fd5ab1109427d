"""Ask the fitted model for effects."""

import torch


@torch.no_grad()
def predict(model, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, covariates] belong to realisations of these numbers, [n]."""
    features = (model["net"].represent(covariates) - model["centre"]) / model["scale"]
    return (features * model["slopes"][realisation]).sum(dim=1) + model["levels"][realisation]
