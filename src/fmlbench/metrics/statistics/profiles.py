"""Summaries of score distributions, as in rliable."""

from collections.abc import Sequence

import numpy as np

from fmlbench.metrics.statistics.groups import Groups, pooled


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
