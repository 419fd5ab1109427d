"""Ask the fitted models for effects."""

import torch


def predict(models, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, 25] belong to realisations of these numbers, [n]."""
    effects = torch.zeros(len(covariates))
    with torch.no_grad():
        for number in realisation.unique().tolist():
            asked = realisation == number
            scale, net = models[number]
            effects[asked] = net.predict((covariates[asked] - scale[0]) / scale[1]).reshape(-1)
    return effects
