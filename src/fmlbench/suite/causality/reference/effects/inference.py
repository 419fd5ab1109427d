"""Ask the fitted processes for effects."""

import torch


def predict(models, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, 25] belong to realisations of these numbers, [n]."""
    effects = torch.zeros(len(covariates))
    for number in realisation.unique().tolist():
        asked = realisation == number
        effects[asked] = models[number].predict(covariates[asked])
    return effects
