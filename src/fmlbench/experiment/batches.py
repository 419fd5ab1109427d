"""Choose which questions are asked again, and in which company.

A random part of an exam looks like the whole of it: whoever adapts to averages would learn the same from both and give
the same answers. So most of those that are asked again are alike, far out in a random direction, and a candidate that
adapts to its company is led astray. The others are chosen at random, so that any question may be among them.
"""

import numpy as np

from fmlbench.experiment.answers import Array

_ALIKE_SHARE = 0.75
_MAX_COLUMNS = 256
"""More would not make a direction more random."""


def resample_batch(questions: dict[str, Array], share: float, rng: np.random.Generator) -> Array:
    """The numbers of the questions to ask again, in a random order."""
    rows = len(next(iter(questions.values())))
    count = max(1, round(rows * share))
    by_tendency = np.argsort(sum(_tendency(array, rng) for array in questions.values()), kind="stable")
    alike, rest = np.split(by_tendency, [round(count * _ALIKE_SHARE)])
    others = rng.choice(np.sort(rest), count - len(alike), replace=False)
    return rng.permutation(np.concatenate([alike, others]))


def _tendency(array: Array, rng: np.random.Generator) -> Array:
    """How far every row lies in a random direction."""
    if array.dtype.kind not in "biuf":
        return np.zeros(len(array))
    rows = array.reshape(len(array), -1)
    columns = rng.choice(rows.shape[1], min(rows.shape[1], _MAX_COLUMNS), replace=False)
    values = np.nan_to_num(rows[:, columns].astype(np.float64), posinf=0.0, neginf=0.0)
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0) @ rng.standard_normal(len(columns))
