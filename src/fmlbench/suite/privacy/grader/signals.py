"""What an auditor who holds the networks sees of every vector: [networks, vectors] numbers of several kinds."""

from dataclasses import dataclass

import numpy as np

CLASSES = 10
SPREAD = 3.0
"""The typical size of a score after an auditor has undone whatever scale it was given."""
HALVINGS = 6
NOISE = (0.3, 0.6)
"""Standard deviations of the noise on copies of a vector: a network that was bent at a member bends back beside it."""
COPIES = 3
RIVALS = 3
"""How many of the other classes' scores are features, the largest first."""


@dataclass(frozen=True)
class Signals:
    """The signals of all networks on all vectors of an audit."""

    log_probability: np.ndarray
    """Of the right label."""
    margin: np.ndarray
    """The log odds of the right label."""
    right: np.ndarray
    """1 where the label is right, else 0."""
    distance: np.ndarray
    """How far a vector must be mixed with others for its label to change; negative where it is wrong to begin with."""
    features: np.ndarray
    """[networks, vectors, features] for the learned attack."""

    @classmethod
    def of(cls, networks, labels):
        """Measure all of them."""
        vectors, truth = labels["audit_vectors"], labels["audit_labels"]
        means = class_means(labels["accuracy_vectors"], labels["accuracy_labels"])
        measured = []
        for network in networks:
            scores = centred(network(vectors)) / scale_of(network(labels["accuracy_vectors"]))
            right = scores.argmax(axis=1) == truth
            distance = distance_to_another_label(network, vectors, truth, means)
            features = describe(network, vectors, truth, labels["accuracy_vectors"])
            measured.append((*log_odds(scores, truth), right.astype(float), distance, features))
        return cls(*(np.stack(kind) for kind in zip(*measured, strict=True)))


def centred(scores):
    """Scores with a mean of zero for every vector: a constant added to all of them says nothing."""
    return scores - scores.mean(axis=1, keepdims=True)


def scale_of(scores):
    """What to divide scores by, so that nobody gains by handing in tiny or huge ones."""
    return float(np.sqrt((centred(scores) ** 2).mean())) / SPREAD or 1.0


def log_odds(scores, truth):
    """The logarithms of the probability of the right label, and of its odds."""
    rows = np.arange(len(truth))
    others = scores.copy()
    others[rows, truth] = -np.inf
    rest = log_sum(others)
    margin = scores[rows, truth] - rest
    return -np.logaddexp(0.0, -margin), margin


def log_sum(scores):
    """The logarithm of the sum of exponentials of every row."""
    top = scores.max(axis=1)
    return top + np.log(np.exp(scores - top[:, None]).sum(axis=1))


def describe(network, vectors, truth, new_vectors):
    """[vectors, features] of one network: scores, probability and log odds at each vector and beside it."""
    rng = np.random.default_rng(0)
    scale = scale_of(network(new_vectors))
    scores = centred(network(vectors)) / scale
    here = log_odds(scores, truth)[1]
    beside = [
        np.mean(
            [log_odds(centred(network(near(vectors, noise, rng))) / scale, truth)[1] for _ in range(COPIES)], axis=0
        )
        for noise in NOISE
    ]
    rows = np.arange(len(truth))
    others = scores.copy()
    others[rows, truth] = -np.inf
    rivals = np.sort(others, axis=1)[:, ::-1][:, :RIVALS]
    return np.column_stack(
        [here, *beside, here - beside[0], scores[rows, truth], rivals, log_sum(scores), 1 / (1 + np.exp(-here))]
    )


def near(vectors, noise, rng):
    """The vectors with noise."""
    return vectors + noise * rng.standard_normal(vectors.shape)


def class_means(vectors, truth):
    """The average vector of every class; zero where a class has none."""
    return np.stack(
        [vectors[truth == c].mean(axis=0) if (truth == c).any() else 0 * vectors[0] for c in range(CLASSES)]
    )


def distance_to_another_label(network, vectors, truth, means):
    """The smallest share of another class's average vector that makes a vector lose its label.

    The auditor queries labels only. A vector with a wrong label gets, with a minus, the share of its own class's
    average vector that gives it the right one.
    """
    right = network(vectors).argmax(axis=1) == truth
    others = [means[(truth + step) % CLASSES] for step in range(1, CLASSES)]
    away = np.min([turning_point(network, vectors, truth, other, holds=True) for other in others], axis=0)
    back = turning_point(network, vectors, truth, means[truth], holds=False)
    return np.where(right, away, -back)


def turning_point(network, vectors, truth, others, *, holds):
    """The share of ``others`` up to which it holds, or does not hold, that a vector has its label; by halving."""
    low, high = np.zeros(len(vectors)), np.ones(len(vectors))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        mixed = vectors + middle[:, None] * (others - vectors)
        still = (network(mixed).argmax(axis=1) == truth) == holds
        low, high = np.where(still, middle, low), np.where(still, high, middle)
    return (low + high) / 2
