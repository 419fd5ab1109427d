"""Ask the fitted processes for effects."""

import torch


def predict(processes, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, covariates] belong to realisations of these numbers, [n]."""
    effects = torch.zeros(len(covariates))
    for number in realisation.unique().tolist():
        asked = realisation == number
        effects[asked] = processes.predict(number, covariates[asked])
    return effects
