"""Ask the fitted networks for effects."""

import numpy as np
from tensorflow import keras

from causalml.inference.tf import DragonNet
from effects.training import NEURONS_PER_LAYER


def predict(models, realisation, covariates):
    """Return the effect on each unit: ``covariates`` [n, 25] belong to realisations of these numbers, [n]."""
    effects = np.zeros(len(covariates), dtype=np.float32)
    # In single precision the last digit of an answer would hang on its place among the questions.
    keras.config.set_dtype_policy("float64")
    net = DragonNet(neurons_per_layer=NEURONS_PER_LAYER).make_dragonnet(covariates.shape[1])
    for number in np.unique(realisation):
        asked = realisation == number
        net.set_weights(models[number])
        untreated, treated, *_ = net(covariates[asked]).numpy().T
        effects[asked] = treated - untreated
    return effects
