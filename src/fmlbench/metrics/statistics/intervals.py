"""Confidence intervals: Student's t, bootstrap, Wilson, and over retest samples.

There are two bootstrap intervals. On these tasks: seeds are resampled within each task. On tasks like these: tasks are
resampled too, then seeds within them. The second is wider, and with few tasks much wider.

Bootstrap intervals of few values are too narrow: with three seeds, a 95% interval contains the true mean in only three
of four cases. So intervals are widened by the ratio of Student's t to the normal quantile.

Runs with the same seed are retested on the same few samples. The variation of the difference between samples shows how
much these samples may favour one agent by chance.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.numerics import normal_quantile, t_quantile
from fmlbench.metrics.statistics.groups import Groups, interquartile_mean, pooled, scatter_within, task_mean
from fmlbench.metrics.trace import Vectors

REPETITIONS = 2000
CONFIDENCE = 0.95

Tables = Mapping[str, Sequence[Sequence[float]]]
"""By task: a row per pair of runs with the difference on each retest sample."""


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


def wilson(successes: int, n: int) -> Interval | None:
    """The Wilson interval of a rate; None if n is 0."""
    if not n:
        return None
    z = normal_quantile((1 + CONFIDENCE) / 2)
    rate = successes / n
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    return Interval(max(centre - reach, 0.0), min(centre + reach, 1.0))


def means_by_draw(tables: Tables) -> Groups:
    """By task, the mean difference on each sample."""
    return {task: np.mean(rows, axis=0).tolist() for task, rows in tables.items()}


def interval_over_draws(differences: Groups) -> Interval | None:
    """Student's t interval of the mean over tasks, from each task's mean difference per sample."""
    scatter = scatter_within(differences)
    if scatter is None:
        return None
    freedom = sum(len(row) - 1 for row in differences.values())
    error = scatter * math.sqrt(sum(1 / len(row) for row in differences.values())) / len(differences)
    reach = t_quantile((1 + CONFIDENCE) / 2, freedom) * error
    mean = task_mean(differences)
    return Interval(mean - reach, mean + reach)


def noise_of_draws(tables: Tables) -> float | None:
    """The standard deviation of one pair's difference between samples, without the part that all pairs share.

    This part of the noise shrinks with more pairs. None if no task has two pairs and two samples.
    """
    squares, freedom = 0.0, 0
    for rows in tables.values():
        table = np.asarray(rows, dtype=np.float64)
        left = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
        squares += float((left**2).sum())
        freedom += (table.shape[0] - 1) * (table.shape[1] - 1)
    return math.sqrt(squares / freedom) if freedom else None
