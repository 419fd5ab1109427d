"""Typed wrappers of SciPy functions, imported when first called.

They prefer scipy.special, because importing scipy.stats takes a second.
"""
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
# ruff: noqa: PLC0415

import math

import numpy as np

from fmlbench.metrics.trace import Vectors

_LARGE_SHIFT = 5.0


def linkage_heights(points: Vectors) -> Vectors:
    """The cosine distances at which clusters of the rows merge, by average linkage."""
    from scipy.cluster.hierarchy import linkage

    return np.asarray(linkage(points, method="average", metric="cosine")[:, 2], dtype=np.float64)


def t_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def t_tails(value: float, freedom: float) -> float:
    """The two-sided p value of Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(value)))


def t_power(shift: float, freedom: float, alpha: float) -> float:
    """The power of a two-sided t test whose statistic is shifted by this much."""
    from scipy.special import nctdtr

    bound = t_quantile(1 - alpha / 2, freedom)
    missed = float(nctdtr(freedom, shift, bound))
    # SciPy returns NaN for extremely small tails: the far tail of a large shift, the near tail of a huge shift.
    wrong_side = float(nctdtr(freedom, shift, -bound)) if shift < _LARGE_SHIFT else 0.0
    return 1.0 if math.isnan(missed) else 1 - missed + wrong_side


def normal_quantile(probability: float) -> float:
    """The quantile of the standard normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(probability))


def ranks(values: Vectors) -> Vectors:
    """Ranks from 1, with ties averaged; all NaN if a value is NaN."""
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, place, shared = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(shared) - (shared - 1) / 2)[place]
