"""Evaluate the processes."""

import torch

from effects.training import kernel


def predict(model, realisation, covariates):
    """Return the effect on each unit."""
    directions, factors, relevance, heights, weights = model
    effects = torch.zeros(len(covariates))
    for number in realisation.unique().tolist():
        asked = realisation == number
        scale = relevance[number, 1]
        similarity = kernel(covariates[asked] @ directions * scale, factors[number] * scale, heights[2], heights[3])
        effects[asked] = (heights[4] + similarity) @ weights[number]
    return effects
