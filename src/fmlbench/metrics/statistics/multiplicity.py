"""Adjusted p values for multiple testing."""

from collections.abc import Sequence

import numpy as np


def holm(values: Sequence[float]) -> list[float]:
    """Holm's correction: controls the family-wise error rate."""
    order = np.argsort(values)
    count = len(values)
    adjusted = np.empty(count)
    adjusted[order] = np.maximum.accumulate(np.sort(values) * np.arange(count, 0, -1))
    return np.minimum(adjusted, 1.0).tolist()


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: controls the false discovery rate."""
    order = np.argsort(values)
    count = len(values)
    adjusted = np.empty(count)
    scaled = np.sort(values) * count / np.arange(1, count + 1)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0).tolist()
