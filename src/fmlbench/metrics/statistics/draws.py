"""Whether a difference would survive other samples of the tests.

Runs with the same seed are retested on the same few samples. How much these happen to favour an agent shows in how the
difference varies from sample to sample.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fmlbench.metrics.numerics import t_quantile
from fmlbench.metrics.statistics.bootstrap import CONFIDENCE, Interval
from fmlbench.metrics.statistics.groups import Groups, scatter_within, task_mean

Tables = Mapping[str, Sequence[Sequence[float]]]
"""By task: a row per pair of runs, in it the difference on each draw of the retests."""


def means_by_draw(tables: Tables) -> Groups:
    """By task, the mean difference on each draw."""
    return {task: np.mean(rows, axis=0).tolist() for task, rows in tables.items()}


def interval_over_draws(differences: Groups) -> Interval | None:
    """Student's interval of the mean over tasks; each task has the mean difference on each of its draws."""
    scatter = scatter_within(differences)
    if scatter is None:
        return None
    freedom = sum(len(row) - 1 for row in differences.values())
    error = scatter * math.sqrt(sum(1 / len(row) for row in differences.values())) / len(differences)
    reach = t_quantile((1 + CONFIDENCE) / 2, freedom) * error
    mean = task_mean(differences)
    return Interval(mean - reach, mean + reach)


def noise_of_draws(tables: Tables) -> float | None:
    """The standard deviation of one pair's difference from draw to draw, less what all pairs have in common.

    That part of the noise gets smaller with more pairs. None where no task has two pairs and two draws.
    """
    squares, freedom = 0.0, 0
    for rows in tables.values():
        table = np.asarray(rows, dtype=np.float64)
        left = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
        squares += float((left**2).sum())
        freedom += (table.shape[0] - 1) * (table.shape[1] - 1)
    return math.sqrt(squares / freedom) if freedom else None
