"""How trained predictors decide: by their mean probability."""

import torch

from odds.predictor import probabilities

THRESHOLD = 0.5


def decide(predictors, features):
    """Return 0 or 1 for each of [n, d] features."""
    chances = torch.stack([probabilities(predictor, features) for predictor in predictors])
    return (chances.mean(dim=0) >= THRESHOLD).long()
