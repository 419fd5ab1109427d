"""Intervals by drawing the values again.

Two questions, two intervals. On these tasks: seeds are drawn again within each task. On tasks like these: tasks are
drawn again too, and then seeds within them. The second is wider, and with few tasks much wider.

Drawn again, a few values vary less than they should, and the normal quantile is too small for them: of three seeds, 95%
of the drawn means hold the true one in three cases of four. So intervals are stretched as Student's t asks for.
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
    """A range that holds the true value with the confidence of 95%."""

    low: float
    high: float


def mean_on_these_tasks(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """Of the mean over tasks; None where no task has two seeds."""
    if not _has_seeds(groups):
        return None
    drawn = np.mean([_drawn(row, rng).mean(axis=1) for row in groups.values()], axis=0)
    return _interval(drawn, task_mean(groups), *_size(groups))


def iqm_on_these_tasks(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """Of the interquartile mean over all runs; None where no task has two seeds."""
    if not _has_seeds(groups):
        return None
    drawn = np.sort(np.concatenate([_drawn(row, rng) for row in groups.values()], axis=1), axis=1)
    cut = drawn.shape[1] // 4
    seen = interquartile_mean(pooled(groups).tolist())
    return _interval(drawn[:, cut : drawn.shape[1] - cut].mean(axis=1), seen, *_size(groups))


def mean_on_tasks_like_these(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """Of the mean over tasks, were they other tasks of their kind; None of one task."""
    count = len(groups)
    if count < 2:
        return None
    total = np.zeros(REPETITIONS)
    for _ in range(count):
        candidates = np.stack([_drawn(row, rng).mean(axis=1) for row in groups.values()])
        total += candidates[rng.integers(count, size=REPETITIONS), np.arange(REPETITIONS)]
    return _interval(total / count, task_mean(groups), count, count - 1)


def _has_seeds(groups: Groups) -> bool:
    return any(len(row) > 1 for row in groups.values())


def _drawn(row: Sequence[float], rng: np.random.Generator) -> Vectors:
    """A task's values drawn again, one row per repetition."""
    values = np.asarray(row, dtype=np.float64)
    return values[rng.integers(len(values), size=(REPETITIONS, len(values)))]


def _size(groups: Groups) -> tuple[int, int]:
    """How many values there are, and how many of them are free to vary within their tasks."""
    count = sum(map(len, groups.values()))
    return count, count - len(groups)


def _interval(drawn: Vectors, seen: float, count: int, freedom: int) -> Interval:
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    probability = (1 + CONFIDENCE) / 2
    stretch = math.sqrt(count / freedom) * t_quantile(probability, freedom) / normal_quantile(probability)
    return Interval(seen + stretch * (float(low) - seen), seen + stretch * (float(high) - seen))
