"""Ask the fitted processes for effects."""

import numpy as np


def predict(models, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, 25] belong to realisations of these numbers, [n]."""
    effects = np.zeros(len(covariates), dtype=np.float32)
    for number in np.unique(realisation):
        asked = realisation == number
        effects[asked] = models[number].predict(covariates[asked])
    return effects
