"""How a trained predictor decides."""

from odds.predictor import probabilities

THRESHOLD = 0.5


def decide(predictor, features):
    """Return 0 or 1 for each of [n, d] features."""
    return (probabilities(predictor, features) >= THRESHOLD).long()
