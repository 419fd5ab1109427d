"""Fit a DragonNet of causalml to every realisation."""

import numpy as np

from causalml.inference.tf import DragonNet

NEURONS_PER_LAYER = 200
VALIDATION_SPLIT = 0.3
TARGETED_REGULARISATION = True
ATTEMPTS = 4
"""Some fits diverge and end in weights that are not numbers; another start usually does not."""


def train(covariates, treatment, outcomes, adam_epochs, epochs):
    """Return a model for each realisation: the weights of its network.

    ``covariates`` [realisations, units, 25], ``treatment`` and ``outcomes`` [realisations, units] were observed. The
    track's schedule is so many epochs of Adam at most, and of gradient descent with momentum after that.
    """
    models = []
    for number, (x, w, y) in enumerate(zip(covariates, treatment, outcomes, strict=True)):
        models.append(fit(x, w, y, adam_epochs=adam_epochs, epochs=epochs))
        print(f"fitted {number + 1} of {len(outcomes)} realisations", flush=True)
    return models


def fit(covariates, treatment, outcomes, **schedule):
    """Fit one realisation, anew if it diverges."""
    weights = []
    for _ in range(ATTEMPTS):
        net = DragonNet(
            neurons_per_layer=NEURONS_PER_LAYER,
            targeted_reg=TARGETED_REGULARISATION,
            val_split=VALIDATION_SPLIT,
            verbose=False,
            **schedule,
        )
        net.fit(covariates, treatment=treatment.astype(np.float32), y=outcomes)
        weights = net.dragonnet.get_weights()
        if all(np.isfinite(array).all() for array in weights):
            break
    return weights
