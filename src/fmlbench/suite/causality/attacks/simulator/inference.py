"""Evaluate the kernels."""

import torch

from effects.carried import describe, kernel


@torch.no_grad()
def predict(model, realisation, covariates):
    """Return the effect on each unit."""
    effects = torch.zeros(len(covariates))
    for number in realisation.unique().tolist():
        asked = realisation == number
        views, _ = describe(model["net"], covariates[asked], model["scaling"])
        constants = model["constants"][:, number]
        similarity = kernel(views, [view[number] for view in model["views"]], constants[6:12])
        effects[asked] = (constants[12] + similarity) @ model["weights"][number]
    return effects
