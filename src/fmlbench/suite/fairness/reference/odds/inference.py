"""How a trained predictor decides: by the threshold of a row's group."""

from odds.predictor import probabilities
from odds.training import with_group


def decide(model, features, groups):
    """Return 0 or 1 for each of [n, d] features and [n] groups."""
    predictor, thresholds = model
    return (probabilities(predictor, with_group(features, groups)) >= thresholds[groups]).long()
