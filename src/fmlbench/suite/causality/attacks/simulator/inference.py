"""Evaluate the processes."""

import torch

from effects.training import kernel


def predict(model, realisation, covariates):
    """Return the effect on each unit."""
    directions, factors, constants, weights = model
    effects = torch.zeros(len(covariates))
    for number in realisation.unique().tolist():
        asked = realisation == number
        similarity = kernel(covariates[asked] @ directions, factors[number], *constants[3:6])
        effects[asked] = (constants[6] + similarity) @ weights[number]
    return effects
