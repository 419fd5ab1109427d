"""Corrections for asking many questions at once, as adjusted p values."""

from collections.abc import Sequence

import numpy as np


def holm(values: Sequence[float]) -> list[float]:
    """No false finding in 95% of all families of questions."""
    order = np.argsort(values)
    count = len(values)
    adjusted = np.empty(count)
    adjusted[order] = np.maximum.accumulate(np.sort(values) * np.arange(count, 0, -1))
    return np.minimum(adjusted, 1.0).tolist()


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """At most 5% of the findings false, on average."""
    order = np.argsort(values)
    count = len(values)
    adjusted = np.empty(count)
    scaled = np.sort(values) * count / np.arange(1, count + 1)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0).tolist()
