"""A linear classifier with softmax outputs."""

import numpy as np


def softmax(scores):
    """Probabilities from scores, row by row."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def descend(features, labels, classes, rng, learning_rate=0.3, steps=150, momentum=0.9, weight_decay=1e-3):
    """Fit weights by gradient descent with momentum."""
    weights = 0.01 * rng.standard_normal((features.shape[1], classes))
    velocity = np.zeros_like(weights)
    targets = np.eye(classes)[labels]
    for _ in range(steps):
        errors = softmax(features @ weights) - targets
        gradient = features.T @ errors / len(features) + weight_decay * weights
        velocity = momentum * velocity - learning_rate * gradient
        weights = weights + velocity
    return weights
