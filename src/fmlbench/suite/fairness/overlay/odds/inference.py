"""How a trained predictor decides."""

from odds.predictor import probabilities

THRESHOLD = 0.5


def decide(predictor, features, groups):
    """Return 0 or 1 for each of [n, d] features; ``groups`` [n] are 0 or 1 as well."""
    return (probabilities(predictor, features) >= THRESHOLD).long()
