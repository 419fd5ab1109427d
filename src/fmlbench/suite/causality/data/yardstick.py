"""How hard is a realisation? The error of a simple Gaussian process that is told the secret factors.

Scores are divided by this error, averaged over the exam. A draw of rough surfaces then counts no more than one of
smooth ones, which halves the noise of a score.
"""

import numpy as np

LENGTHS = (1.0, 1.5, 2.5, 4.0)
"""Length scales, the same for all factors; the one with the least true error counts."""
NOISE = 0.12
"""Assumed share of the noise in the outcomes' variance."""


def measure(factors, treatment, outcomes, asked, effects):
    """Return the root mean squared error on the units ``asked`` [units, factors], whose true ``effects`` are given."""
    contrast = treatment - 0.5
    near, far = squared_distances(factors, factors), squared_distances(asked, factors)
    lines, lines_far = factors @ factors.T, asked @ factors.T
    errors = []
    for length in LENGTHS:
        smooth = np.exp(-near / (2 * length**2))
        common = 1 + 0.37 * lines / length**2 + smooth
        own = 0.6 + 0.37 * lines / length**2 + 0.6 * smooth
        covariance = common + own * np.outer(contrast, contrast) + NOISE * np.eye(len(outcomes))
        weights = contrast * np.linalg.solve(covariance, outcomes)
        estimates = (0.6 + 0.37 * lines_far / length**2 + 0.6 * np.exp(-far / (2 * length**2))) @ weights
        errors.append(np.sqrt(np.mean((estimates - effects) ** 2)))
    return min(errors)


def squared_distances(left, right):
    """All squared distances between rows."""
    return np.maximum((left**2).sum(1)[:, None] + (right**2).sum(1) - 2 * left @ right.T, 0)
