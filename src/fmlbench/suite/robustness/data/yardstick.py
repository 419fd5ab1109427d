"""Kernel ridge regression on what honest contributors sent: candidates' errors are measured in units of its error.

Samples differ in how much their triggers hide. The yardstick meets the same difficulty, so the quotient differs less
than the errors.
"""

import numpy as np

RIDGE = 2.0


def label_by_yardstick(vectors, labels, asked):
    """Labels for [m, readings] asked vectors, learned from [n, readings] vectors of honest contributors."""
    width = vectors.var(axis=0).sum()
    kernel = np.exp(-squared_distances(vectors, vectors) / width)
    weights = np.linalg.solve(kernel + RIDGE * np.eye(len(kernel)), np.eye(labels.max() + 1)[labels])
    return (np.exp(-squared_distances(asked, vectors) / width) @ weights).argmax(axis=1)


def squared_distances(first, second):
    """[n, m] squared distances between [n, d] and [m, d] points."""
    squares = (first**2).sum(axis=1)[:, None] - 2 * first @ second.T + (second**2).sum(axis=1)
    return np.maximum(squares, 0)
