"""Find out whether answers depend on which other questions were asked.

An answer that may not depend on its company must be the same in other company. This bounds what such a dependence can
buy: a candidate whose repeated answers agree but for a share d cannot have gained more than d by it.
"""

import numpy as np

from fmlbench.core.task import AnswerFormat
from fmlbench.experiment.answers import Array

_ROUNDING_SHARE = 0.01


def share_that_differs(first: Array, again: Array, answers: AnswerFormat) -> float:
    """The share of numbers that are not the same in both sittings, row by row."""
    if first.size == 0:
        return 0.0
    if np.dtype(answers.dtype).kind == "i":
        return np.count_nonzero(first != again) / first.size
    apart = np.abs(first.astype(np.float64) - again)
    spread = _spread(first)
    return np.count_nonzero(apart > answers.tolerance * spread + _rounding(first, spread)) / first.size


def _spread(rows: Array) -> Array:
    """How far the numbers of a column typically lie from its middle, leaving out those that lie right on it.

    Neither a few wild answers nor one wild column make it larger, so nobody can hide a dependence behind them.
    """
    columns = rows.astype(np.float64).reshape(len(rows), -1)
    distances = np.abs(columns - np.median(columns, axis=0))
    distances[distances == 0] = np.nan
    typical = np.array([np.median(one[~np.isnan(one)]) if not np.isnan(one).all() else 0.0 for one in distances.T])
    return typical.reshape(rows.shape[1:])


def _rounding(rows: Array, spread: Array) -> Array:
    """What float32 arithmetic in another order may change; far below the spread of a column.

    Answers with a large offset would otherwise agree whatever they depend on: at a million the slack is 1.
    """
    slack = 1e-6 * np.abs(rows.astype(np.float64))
    return np.where(spread > 0, np.minimum(slack, _ROUNDING_SHARE * spread), slack)


def find_batch_dependence(first: Array, again: Array, answers: AnswerFormat) -> str:
    """Why these answers cannot stand, or nothing."""
    if first.shape != again.shape:
        return f"answers of shape {first.shape[1:]} had shape {again.shape[1:]} when they were asked in other company"
    share = share_that_differs(first, again, answers)
    if share <= answers.disagreement:
        return ""
    return f"{share:.1%} of the answers changed when the same questions were asked in other company"
