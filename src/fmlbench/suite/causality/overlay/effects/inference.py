"""Ask the fitted model for effects."""

import torch

from effects.kernels import kernel, rescale
from effects.training import AVERAGE_EFFECT_VARIANCE, EFFECT_VARIANCES


@torch.no_grad()
def predict(model, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, covariates] belong to realisations of these numbers, [n]."""
    asked = rescale(model["net"].describe(covariates), model["scaling"])
    effects = torch.zeros(len(covariates))
    for number in realisation.unique().tolist():
        rows = realisation == number
        seen = [view[number] for view in model["views"]]
        similarity = AVERAGE_EFFECT_VARIANCE + kernel([view[rows] for view in asked], seen, EFFECT_VARIANCES)
        effects[rows] = similarity @ model["weights"][number]
    return effects
