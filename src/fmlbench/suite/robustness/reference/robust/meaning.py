"""What a distrusted contributor means by each label: an assignment to what the others would call its examples."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from robust.filtering import RIDGE, compare, predict_from_others, spread, trusted

ROUNDS = 3


def translate(vectors, labels, sources):
    """The labels, with those of each distrusted contributor replaced by their meanings."""
    kept, classes = trusted(vectors, labels, sources), np.eye(int(labels.max()) + 1)
    kernel = compare(vectors, vectors[kept], spread(vectors))
    guesses = kernel @ np.linalg.solve(kernel[kept] + RIDGE * np.eye(int(kept.sum())), classes[labels[kept]])
    meant = labels.copy()
    for _ in range(ROUNDS):
        for number in np.unique(sources[~kept]):
            rows = np.flatnonzero(sources == number)
            meanings = linear_sum_assignment(classes[labels[rows]].T @ guesses[rows], maximize=True)[1]
            meant[rows] = meanings[labels[rows]]
        guesses = predict_from_others(vectors, classes[meant], sources)
    return meant
