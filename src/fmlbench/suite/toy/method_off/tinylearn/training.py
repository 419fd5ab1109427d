"""Fit a classifier, and ask it."""

import numpy as np

from tinylearn.features import expand, measure_scale
from tinylearn.model import descend


def fit(inputs, labels, classes, seed):
    """Learn from labelled inputs; returns everything that predicting needs, as arrays by name."""
    rng = np.random.default_rng(seed)
    scale = measure_scale(inputs)
    weights = descend(expand(inputs, scale), labels, classes, rng, steps=0)
    return {"weights": weights, "mean": scale[0], "deviation": scale[1]}


def predict(model, inputs):
    """The most probable class of every input."""
    features = expand(inputs, (model["mean"], model["deviation"]))
    return (features @ model["weights"]).argmax(axis=1)
