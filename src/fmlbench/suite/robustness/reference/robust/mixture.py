"""Explain all vectors by a mixture of classes and effects of triggers, fitted by expectation maximisation.

A trigger moves the vectors of all classes in about the same way, and all its examples have the same told label. So the
examples with one told label are those of its class and, for each of its backdoors, those of any class plus one shift.
Where the true classes lie and what the shifts are is estimated from all labels together.
"""

import numpy as np
from sklearn.cluster import KMeans

ROUNDS = 10
SHRINKAGE = 0.1
SHARPNESS = 0.5
"""Logarithms of densities count so much: readings are not as independent as the model assumes."""
MISTAKES = 0.05
CAUTION = 15
"""Shifts are estimated as if so many examples more had none."""


def explain(vectors, labels, kept, effects):
    """[n, classes] chances of the true classes, with ``effects`` shifts for each told label."""
    classes = int(labels.max()) + 1
    usable = [kept & (labels == label) for label in range(classes)]
    usable = [rows if rows.any() else labels == label for label, rows in enumerate(usable)]
    means = np.stack([vectors[rows].mean(axis=0) for rows in usable])
    whiten = whitening(vectors[kept] - means[labels[kept]])
    shifts = guess_shifts(vectors, labels, means, whiten, effects)
    weights = np.full((classes, effects + 1), 1 / (effects + 1))
    chances, moved = np.zeros((len(labels), classes)), np.zeros_like(vectors)
    for _ in range(ROUNDS):
        sums, counts = np.zeros_like(means), np.ones(classes)
        new_shifts = np.zeros_like(shifts)
        for label in range(classes):
            rows = labels == label
            joint = share_out(vectors[rows] @ whiten, means @ whiten, shifts[label] @ whiten, weights[label], label)
            by_shift, pairs = joint.sum(axis=2), joint.sum(axis=0)
            chances[rows], moved[rows] = joint.sum(axis=1), by_shift @ shifts[label]
            sums += chances[rows].T @ vectors[rows] - pairs.T @ shifts[label]
            counts += pairs.sum(axis=0)
            weights[label] = (pairs.sum(axis=1) + 1) / (rows.sum() + effects + 1)
            excess = by_shift.T @ vectors[rows] - pairs @ means
            new_shifts[label, 1:] = (excess / (pairs.sum(axis=1) + CAUTION)[:, None])[1:]
        means, shifts = sums / counts[:, None], new_shifts
        whiten = whitening(vectors - moved - chances @ means)
    return chances


def share_out(points, means, shifts, weights, label):
    """[n, shifts, classes] chances of each pair; without a shift, which is the first, the told label is likely."""
    rests = points[:, None] - shifts
    squares = (rests**2).sum(axis=2)[..., None] - 2 * rests @ means.T + (means**2).sum(axis=1)
    prior = np.full((len(shifts), len(means)), 1 / len(means))
    prior[0] *= MISTAKES
    prior[0, label] = 1 - MISTAKES
    logs = np.log(prior * weights[:, None]) - SHARPNESS * squares / 2
    joint = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
    return joint / joint.sum(axis=(1, 2), keepdims=True)


def guess_shifts(vectors, labels, means, whiten, effects):
    """Cluster how far the examples with each told label are from the nearest mean, where that is another label's."""
    points, centres = vectors @ whiten, means @ whiten
    found = ((centres**2).sum(axis=1) - 2 * points @ centres.T).argmin(axis=1)
    shifts = np.zeros((len(means), effects + 1, vectors.shape[1]))
    for label in range(len(means)):
        rows = (labels == label) & (found != label)
        if rows.sum() >= effects:
            clusters = KMeans(effects, n_init=3).fit_predict(points[rows] - centres[found[rows]])
            rests = vectors[rows] - means[found[rows]]
            shifts[label, 1:] = [rests[clusters == cluster].mean(axis=0) for cluster in range(effects)]
    return shifts


def whitening(rests):
    """A matrix that makes vectors with this (shrunk) covariance white."""
    covariance = np.cov(rests, rowvar=False)
    sphere = np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    return np.linalg.inv(np.linalg.cholesky((1 - SHRINKAGE) * covariance + SHRINKAGE * sphere)).T
