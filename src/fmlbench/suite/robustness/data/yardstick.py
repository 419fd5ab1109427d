"""A plain defence, trained on the same sample: the error of candidates is measured in units of its error.

Samples differ in how well their poison is hidden. The yardstick, which keeps examples that two simple tests confirm and
fits kernel ridge regression to them, meets the same difficulty, so the quotient differs less than the errors.
"""

import numpy as np

NEIGHBOURS = 20
RIDGE = 1.0


def label_by_yardstick(vectors, labels, asked):
    """Labels for [m, readings] asked vectors, learned from [n, readings] vectors with poisoned labels."""
    kept = confirm(vectors, labels)
    vectors, labels = vectors[kept], labels[kept]
    width = vectors.var(axis=0).sum()
    kernel = np.exp(-squared_distances(vectors, vectors) / width)
    weights = np.linalg.solve(kernel + RIDGE * np.eye(len(kernel)), np.eye(labels.max() + 1)[labels])
    return (np.exp(-squared_distances(asked, vectors) / width) @ weights).argmax(axis=1)


def confirm(vectors, labels):
    """Which examples have the most frequent label of their neighbours, and that of the nearest mean."""
    means = np.stack([vectors[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    by_means = squared_distances(vectors, means).argmin(axis=1) == labels
    distances = squared_distances(vectors, vectors)
    np.fill_diagonal(distances, np.inf)
    near = np.argpartition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    votes = np.eye(labels.max() + 1)[labels[near]].sum(axis=1)
    return by_means & (votes.argmax(axis=1) == labels)


def squared_distances(first, second):
    """[n, m] squared distances between [n, d] and [m, d] points."""
    squares = (first**2).sum(axis=1)[:, None] - 2 * first @ second.T + (second**2).sum(axis=1)
    return np.maximum(squares, 0)
