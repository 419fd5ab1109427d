"""Summary statistics: mean, median, interquartile mean, standard deviation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Statistics:
    """Summary statistics; a single value has no standard deviation."""

    n: int
    mean: float
    median: float
    iqm: float
    sd: float | None


def summarise(values: Sequence[float]) -> Statistics | None:
    """The summary statistics of some values; None without values."""
    if not values:
        return None
    return Statistics(
        n=len(values),
        mean=float(np.mean(values)),
        median=float(np.median(values)),
        iqm=interquartile_mean(values),
        sd=float(np.std(values, ddof=1)) if len(values) > 1 else None,
    )


def interquartile_mean(values: Sequence[float]) -> float:
    """The mean without the lowest and the highest quarter of the values, rounded down."""
    cut = len(values) // 4
    return float(np.mean(np.sort(values)[cut : len(values) - cut]))
