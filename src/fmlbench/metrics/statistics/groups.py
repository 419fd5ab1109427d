"""Values by task. Runs are compared within tasks, because tasks differ more than seeds."""

from collections.abc import Mapping, Sequence

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
