"""Bootstrap confidence intervals.

There are two intervals. On these tasks: seeds are resampled within each task. On tasks like these: tasks are resampled
too, then seeds within them. The second is wider, and with few tasks much wider.

Bootstrap intervals of few values are too narrow: with three seeds, a 95% interval contains the true mean in only three
of four cases. So intervals are widened by the ratio of Student's t to the normal quantile.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.numerics import normal_quantile, t_quantile
from fmlbench.metrics.statistics.groups import Groups, pooled, task_mean
from fmlbench.metrics.statistics.summaries import interquartile_mean
from fmlbench.metrics.trace import Vectors

REPETITIONS = 2000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A 95% confidence interval."""

    low: float
    high: float


def mean_on_these_tasks(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """The interval of the mean over tasks; None if no task has two seeds."""
    if not _has_seeds(groups):
        return None
    resampled = np.mean([_resample(row, rng).mean(axis=1) for row in groups.values()], axis=0)
    return _interval(resampled, task_mean(groups), *_size(groups))


def iqm_on_these_tasks(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """The interval of the interquartile mean over all runs; None if no task has two seeds."""
    if not _has_seeds(groups):
        return None
    resampled = np.sort(np.concatenate([_resample(row, rng) for row in groups.values()], axis=1), axis=1)
    cut = resampled.shape[1] // 4
    seen = interquartile_mean(pooled(groups).tolist())
    return _interval(resampled[:, cut : resampled.shape[1] - cut].mean(axis=1), seen, *_size(groups))


def mean_on_tasks_like_these(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """The interval of the mean over tasks for a random sample of similar tasks; None for one task."""
    count = len(groups)
    if count < 2:
        return None
    total = np.zeros(REPETITIONS)
    for _ in range(count):
        candidates = np.stack([_resample(row, rng).mean(axis=1) for row in groups.values()])
        total += candidates[rng.integers(count, size=REPETITIONS), np.arange(REPETITIONS)]
    return _interval(total / count, task_mean(groups), count, count - 1)


def _has_seeds(groups: Groups) -> bool:
    return any(len(row) > 1 for row in groups.values())


def _resample(row: Sequence[float], rng: np.random.Generator) -> Vectors:
    """A task's values resampled, one row per repetition."""
    values = np.asarray(row, dtype=np.float64)
    return values[rng.integers(len(values), size=(REPETITIONS, len(values)))]


def _size(groups: Groups) -> tuple[int, int]:
    """The number of values and the degrees of freedom within tasks."""
    count = sum(map(len, groups.values()))
    return count, count - len(groups)


def _interval(resampled: Vectors, seen: float, count: int, freedom: int) -> Interval:
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    probability = (1 + CONFIDENCE) / 2
    stretch = math.sqrt(count / freedom) * t_quantile(probability, freedom) / normal_quantile(probability)
    return Interval(seen + stretch * (float(low) - seen), seen + stretch * (float(high) - seen))
