"""Values by task, and summaries of them as in rliable.

Runs are compared within tasks, because tasks differ more than seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.trace import Vectors

Groups = Mapping[str, Sequence[float]]
"""The values of one agent, or of one difference, by task."""


def task_mean(groups: Groups) -> float:
    """The mean over tasks of the task means: every task has the same weight, regardless of its number of seeds."""
    return float(np.mean([np.mean(values) for values in groups.values()]))


def pooled(groups: Groups) -> Vectors:
    """All values in one array."""
    return np.concatenate([np.asarray(values, dtype=np.float64) for values in groups.values()])


def scatter_within(groups: Groups) -> float | None:
    """The pooled standard deviation within tasks; None if no task has two values."""
    freedom = sum(len(values) - 1 for values in groups.values())
    if freedom < 1:
        return None
    squares = sum(float(((np.asarray(values) - np.mean(values)) ** 2).sum()) for values in groups.values())
    return float(np.sqrt(squares / freedom))


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


def performance_profile(groups: Groups, thresholds: Sequence[float]) -> list[float]:
    """For each threshold the share of runs above it; every task has the same weight."""
    return [
        float(np.mean([np.mean(np.asarray(values) > threshold) for values in groups.values()]))
        for threshold in thresholds
    ]


def probability_of_improvement(first: Groups, second: Groups) -> float:
    """The probability that a run of the first beats a run of the second on a shared task; ties count half."""
    shares: list[float] = []
    for task in first.keys() & second.keys():
        wins = [(ours > theirs) + 0.5 * (ours == theirs) for ours in first[task] for theirs in second[task]]
        shares.append(float(np.mean(wins)))
    return float(np.mean(shares))


def optimality_gap(groups: Groups, target: float = 1.0) -> float:
    """The mean distance of runs below a target; values above the target count as the target."""
    return float(np.mean(target - np.minimum(pooled(groups), target)))
