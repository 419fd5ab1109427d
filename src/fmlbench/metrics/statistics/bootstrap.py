"""Intervals by drawing the values again.

Two questions, two intervals. On these tasks: seeds are drawn again within each task. On tasks like these: tasks are
drawn again too, and then seeds within them. The second is wider, and with few tasks much wider.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.statistics.groups import Groups
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
    return _interval(np.mean([_drawn(row, rng).mean(axis=1) for row in groups.values()], axis=0))


def iqm_on_these_tasks(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """Of the interquartile mean over all runs; None where no task has two seeds."""
    if not _has_seeds(groups):
        return None
    drawn = np.sort(np.concatenate([_drawn(row, rng) for row in groups.values()], axis=1), axis=1)
    cut = drawn.shape[1] // 4
    return _interval(drawn[:, cut : drawn.shape[1] - cut].mean(axis=1))


def mean_on_tasks_like_these(groups: Groups, rng: np.random.Generator) -> Interval | None:
    """Of the mean over tasks, were they other tasks of their kind; None of one task."""
    count = len(groups)
    if count < 2:
        return None
    total = np.zeros(REPETITIONS)
    for _ in range(count):
        candidates = np.stack([_drawn(row, rng).mean(axis=1) for row in groups.values()])
        total += candidates[rng.integers(count, size=REPETITIONS), np.arange(REPETITIONS)]
    return _interval(total / count)


def _has_seeds(groups: Groups) -> bool:
    return any(len(row) > 1 for row in groups.values())


def _drawn(row: Sequence[float], rng: np.random.Generator) -> Vectors:
    """A task's values drawn again, one row per repetition."""
    values = np.asarray(row, dtype=np.float64)
    return values[rng.integers(len(values), size=(REPETITIONS, len(values)))]


def _interval(drawn: Vectors) -> Interval:
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high))
