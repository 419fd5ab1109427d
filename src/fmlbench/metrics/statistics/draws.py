"""Whether a difference would hold on other retest samples.

Runs with the same seed are retested on the same few samples. The variation of the difference between samples shows how
much these samples may favour one agent by chance.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fmlbench.metrics.numerics import t_quantile
from fmlbench.metrics.statistics.bootstrap import CONFIDENCE, Interval
from fmlbench.metrics.statistics.groups import Groups, scatter_within, task_mean

Tables = Mapping[str, Sequence[Sequence[float]]]
"""By task: a row per pair of runs with the difference on each retest sample."""


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
