"""Correlations with n, interval and p; per task, or pooled within tasks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations

import numpy as np

from fmlbench.metrics.numerics import normal_quantile, ranks, t_tails
from fmlbench.metrics.statistics.intervals import CONFIDENCE, Interval
from fmlbench.metrics.trace import Vectors

_EXACT = 7
"""Up to this many values the permutation p value is exact."""

Pairs = Sequence[tuple[float, float]]


class Kind(StrEnum):
    """Correlation of values or of ranks."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"


@dataclass(frozen=True)
class Correlation:
    """The correlation of two numbers over ``n`` runs of ``tasks`` tasks."""

    r: float
    n: int
    tasks: int
    p: float
    interval: Interval | None


def correlate(pairs: Pairs, kind: Kind) -> Correlation | None:
    """The correlation of some pairs; None if undefined or with fewer than four pairs."""
    return correlate_within({"": pairs}, kind)


def correlate_within(pairs: Mapping[str, Pairs], kind: Kind) -> Correlation | None:
    """The correlation within tasks: each task's mean is subtracted first, so differences between tasks do not count."""
    usable = [np.asarray(row, dtype=np.float64) for row in pairs.values() if len(row) > 1]
    if not usable:
        return None
    centred = np.concatenate([_centred(row, kind) for row in usable])
    spread = np.sqrt((centred**2).sum(axis=0))
    n, tasks = len(centred), len(usable)
    if n - tasks - 1 < 2 or not spread.all():
        return None
    r = float(np.clip((centred[:, 0] @ centred[:, 1]) / spread.prod(), -1.0, 1.0))
    is_exact = kind is Kind.SPEARMAN and tasks == 1 and n <= _EXACT
    p = _exact_p(centred) if is_exact else _p(r, n - tasks - 1)
    return Correlation(r=r, n=n, tasks=tasks, p=p, interval=_interval(r, n - tasks + 1, kind))


def _centred(row: Vectors, kind: Kind) -> Vectors:
    if kind is Kind.SPEARMAN:
        row = np.stack([ranks(row[:, 0]), ranks(row[:, 1])], axis=1)
    return row - row.mean(axis=0)


def _p(r: float, freedom: int) -> float:
    return 0.0 if abs(r) == 1 else t_tails(r * math.sqrt(freedom / (1 - r**2)), freedom)


def _exact_p(centred: Vectors) -> float:
    """The exact permutation p value; Student's t underestimates p for few ranks."""
    products = np.array(list(permutations(centred[:, 0]))) @ centred[:, 1]
    return float(np.mean(np.abs(products) >= abs(centred[:, 0] @ centred[:, 1]) - 1e-9))


def _interval(r: float, size: int, kind: Kind) -> Interval | None:
    """By Fisher's transformation; for ranks with the larger standard error of Bonett and Wright."""
    if size <= 3 or abs(r) == 1:
        return None
    error = math.sqrt((1 + r**2 / 2 if kind is Kind.SPEARMAN else 1.0) / (size - 3))
    reach = normal_quantile((1 + CONFIDENCE) / 2) * error
    return Interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach))
