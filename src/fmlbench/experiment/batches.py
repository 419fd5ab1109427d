"""Choose the batch of questions that is asked again.

A uniformly random batch has the statistics of the full exam: a candidate that adapts to batch statistics would give the
same answers in both. So most repeated questions are similar to each other: they are at the extreme end of a random
direction, which shifts the batch statistics. The rest is uniformly random, so that any question can be repeated.
"""

import numpy as np

from fmlbench.experiment.answers import Array

_SHIFTED_SHARE = 0.75
_MAX_COLUMNS = 256
"""The random direction uses at most this many columns; more would not make it more random."""


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
