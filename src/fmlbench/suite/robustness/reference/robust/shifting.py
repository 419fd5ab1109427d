"""Estimate what triggers do to vectors, and do it to other vectors while training.

A contradicted example is what its trigger makes of an example of the class that it seems to belong to. Its difference
from the mean of that class, averaged over similar examples with the same told label, estimates the trigger's effect.
"""

import numpy as np
from art.defences.preprocessor.preprocessor import Preprocessor

MATES = 8
STRENGTH = 1.5


def estimate_shifts(vectors, labels, found):
    """[m, readings] effects of triggers, one for each example whose told label is not the one that was found."""
    trusted = found == labels
    means = np.stack([vectors[trusted & (labels == label)].mean(axis=0) for label in range(labels.max() + 1)])
    residuals = vectors - means[found]
    shifts = []
    for label in np.unique(labels[~trusted]):
        group = residuals[~trusted & (labels == label)]
        squares = (group**2).sum(axis=1)
        distances = squares[:, None] - 2 * group @ group.T + squares
        shifts.append(group[np.argsort(distances, axis=1)[:, :MATES]].mean(axis=1))
    return np.concatenate(shifts).astype(np.float32)


class Shift(Preprocessor):
    """Add a random part of a random shift to half of the vectors of a batch."""

    def __init__(self, shifts):
        """Keep the shifts to choose from."""
        super().__init__(is_fitted=True, apply_fit=True, apply_predict=False)
        self.shifts = shifts

    def __call__(self, x, y=None):
        """Return shifted vectors with the labels they had."""
        chosen = self.shifts[np.random.randint(len(self.shifts), size=len(x))]
        parts = STRENGTH * np.random.rand(len(x), 1) * (np.random.rand(len(x), 1) < 0.5)
        return x + (parts * chosen).astype(x.dtype), y
