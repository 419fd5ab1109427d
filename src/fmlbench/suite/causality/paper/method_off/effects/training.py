"""Fit each arm with a network of its own: no shared representation, no propensity, no targeted regularisation."""

import numpy as np

from causalml.inference.tf import DragonNet
from causalml.inference.tf.utils import regression_loss

NEURONS_PER_LAYER = 200
VALIDATION_SPLIT = 0.3


def train(covariates, treatment, outcomes, adam_epochs, epochs):
    """Return two networks' weights for each realisation: without treatment, and with it."""
    schedule = {"adam_epochs": adam_epochs, "epochs": epochs}
    return [
        [fit(x[w == arm], w[w == arm], y[w == arm], **schedule) for arm in (0, 1)]
        for x, w, y in zip(covariates, treatment, outcomes, strict=True)
    ]


def fit(covariates, treatment, outcomes, **schedule):
    """Fit one arm: where all units had the same treatment, the other head and the propensity learn nothing."""
    net = DragonNet(
        neurons_per_layer=NEURONS_PER_LAYER,
        targeted_reg=False,
        loss_func=regression_loss,
        val_split=VALIDATION_SPLIT,
        verbose=False,
        **schedule,
    )
    net.fit(covariates, treatment=treatment.astype(np.float32), y=outcomes)
    return net.dragonnet.get_weights()
