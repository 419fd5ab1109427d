"""Check whether answers depend on the other questions of their batch: ask some questions again in a different batch.

Independent answers must be the same in a different batch. This bounds the gain from a dependence: if a share d of the
repeated answers differs, the dependence cannot have gained more than d.

A uniformly random batch has the statistics of the full exam: a candidate that adapts to batch statistics would give the
same answers in both. So most repeated questions are similar to each other: they are at the extreme end of a random
direction, which shifts the batch statistics. The rest is uniformly random, so that any question can be repeated.
"""

import numpy as np

from fmlbench.core.task import AnswerFormat
from fmlbench.experiment.answers import Array

_SHIFTED_SHARE = 0.75
_MAX_COLUMNS = 256
"""The random direction uses at most this many columns; more would not make it more random."""
_ROUNDING_SHARE = 0.01


def resample_batch(questions: dict[str, Array], share: float, rng: np.random.Generator) -> Array:
    """The indices of the questions to ask again, in random order."""
    rows = len(next(iter(questions.values())))
    count = max(1, round(rows * share))
    by_projection = np.argsort(sum(_project(array, rng) for array in questions.values()), kind="stable")
    shifted, rest = np.split(by_projection, [round(count * _SHIFTED_SHARE)])
    others = rng.choice(np.sort(rest), count - len(shifted), replace=False)
    return rng.permutation(np.concatenate([shifted, others]))


def _project(array: Array, rng: np.random.Generator) -> Array:
    """The projection of every standardized row onto a random direction."""
    if array.dtype.kind not in "biuf":
        return np.zeros(len(array))
    rows = array.reshape(len(array), -1)
    columns = rng.choice(rows.shape[1], min(rows.shape[1], _MAX_COLUMNS), replace=False)
    values = np.nan_to_num(rows[:, columns].astype(np.float64), posinf=0.0, neginf=0.0)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0) @ rng.standard_normal(len(columns))


def share_that_differs(first: Array, again: Array, answers: AnswerFormat) -> float:
    """The share of numbers that differ between the two exam passes; row i of both answers the same question."""
    if first.size == 0:
        return 0.0
    if np.dtype(answers.dtype).kind == "i":
        return np.count_nonzero(first != again) / first.size
    apart = np.abs(first.astype(np.float64) - again)
    spread = _spread(first)
    return np.count_nonzero(apart > answers.tolerance * spread + _rounding(first, spread)) / first.size


def _spread(rows: Array) -> Array:
    """The median distance of a column's numbers from its median, without zero distances.

    Neither a few extreme answers nor one extreme column enlarge it, so they cannot hide a dependence.
    """
    columns = rows.astype(np.float64).reshape(len(rows), -1)
    distances = np.abs(columns - np.median(columns, axis=0))
    distances[distances == 0] = np.nan
    typical = np.array([np.median(one[~np.isnan(one)]) if not np.isnan(one).all() else 0.0 for one in distances.T])
    return typical.reshape(rows.shape[1:])


def _rounding(rows: Array, spread: Array) -> Array:
    """The difference that float32 arithmetic in another order may cause, capped far below the spread of a column.

    Without the cap, answers with a large offset would always count as equal: at a million the slack is 1.
    """
    slack = 1e-6 * np.abs(rows.astype(np.float64))
    return np.where(spread > 0, np.minimum(slack, _ROUNDING_SHARE * spread), slack)


def find_batch_dependence(first: Array, again: Array, answers: AnswerFormat) -> str:
    """Why the answers are rejected; empty if they are consistent."""
    if first.shape != again.shape:
        return f"answers of shape {first.shape[1:]} had shape {again.shape[1:]} in a different batch"
    share = share_that_differs(first, again, answers)
    if share <= answers.disagreement:
        return ""
    return f"{share:.1%} of the answers changed when the same questions were asked in a different batch"
