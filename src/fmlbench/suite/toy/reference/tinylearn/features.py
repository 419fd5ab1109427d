"""Turn raw inputs into what the linear model sees."""

import numpy as np


def expand(inputs, scale):
    """Standardise the inputs, add all products of two of them, and a constant."""
    mean, deviation = scale
    standardised = (inputs - mean) / deviation
    left, right = np.triu_indices(standardised.shape[1])
    products = standardised[:, left] * standardised[:, right]
    return np.hstack([standardised, products, np.ones((len(inputs), 1))])


def measure_scale(inputs):
    """The mean and deviation of every input, taken on the training data."""
    return inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
