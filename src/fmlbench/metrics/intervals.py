"""Means over seeds with 95% confidence intervals.

With three seeds, normal intervals are far too narrow (1.96 standard errors instead of 4.30), so intervals use
Student's t. It is implemented here because a terminal report should not need SciPy.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over ``n`` seeds with its confidence interval; one seed has no interval."""

    mean: float
    n: int
    low: float | None
    high: float | None


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of the values with its t interval; None without values."""
    if not values:
        return None
    mean, n = statistics.fmean(values), len(values)
    if n == 1:
        return Estimate(mean=mean, n=1, low=None, high=None)
    reach = t_quantile((1 + CONFIDENCE) / 2, n - 1) * statistics.stdev(values) / math.sqrt(n)
    return Estimate(mean=mean, n=n, low=mean - reach, high=mean + reach)


def t_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t for a probability above 0.5."""
    low, high = 0.0, 1.0
    while _t_below(high, freedom) < probability:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _t_below(value: float, freedom: int) -> float:
    """Student's distribution function by its finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(value / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    is_odd = freedom % 2 == 1
    term = cosine if is_odd else 1.0
    total = 0.0
    for power in range(3 if is_odd else 2, freedom + 1, 2):
        total += term
        term *= cosine**2 * (power - 1) / power
    within = 2 / math.pi * (angle + sine * total) if is_odd else sine * total
    return (1 + within) / 2
