"""The functions of SciPy that we use, with types and loaded when first called.

They are those of scipy.special where there is a choice: scipy.stats alone takes a second to load.
"""
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
# ruff: noqa: PLC0415

import math

import numpy as np

from fmlbench.metrics.trace import Vectors

_LARGE_SHIFT = 5.0


def linkage_heights(points: Vectors) -> Vectors:
    """At which cosine distances clusters of these rows merge, by average linkage."""
    from scipy.cluster.hierarchy import linkage

    return np.asarray(linkage(points, method="average", metric="cosine")[:, 2], dtype=np.float64)


def t_quantile(probability: float, freedom: float) -> float:
    """The value that Student's t stays below with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def t_tails(value: float, freedom: float) -> float:
    """How often Student's t is at least this far from zero, to either side."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(value)))


def t_power(shift: float, freedom: float, alpha: float) -> float:
    """How often a two-sided t test finds an effect that shifts its statistic by this much."""
    from scipy.special import nctdtr

    bound = t_quantile(1 - alpha / 2, freedom)
    missed = float(nctdtr(freedom, shift, bound))
    # SciPy has no number for tails that are almost nothing: the far one of a large shift, the near one of a huge shift.
    wrong_side = float(nctdtr(freedom, shift, -bound)) if shift < _LARGE_SHIFT else 0.0
    return 1.0 if math.isnan(missed) else 1 - missed + wrong_side


def normal_quantile(probability: float) -> float:
    """The value that a standard normal number stays below with this probability."""
    from scipy.special import ndtri

    return float(ndtri(probability))


def ranks(values: Vectors) -> Vectors:
    """Ranks from 1, ties shared; what is not a number has none, and then nothing has."""
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, place, shared = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(shared) - (shared - 1) / 2)[place]
