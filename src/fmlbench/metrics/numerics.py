"""The functions of SciPy that we use, with types and loaded when first called: SciPy takes a second to load."""
# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
# ruff: noqa: PLC0415

import numpy as np

from fmlbench.metrics.trace import Vectors


def linkage_heights(points: Vectors) -> Vectors:
    """At which cosine distances clusters of these rows merge, by average linkage."""
    from scipy.cluster.hierarchy import linkage

    return np.asarray(linkage(points, method="average", metric="cosine")[:, 2], dtype=np.float64)


def t_quantile(probability: float, freedom: float) -> float:
    """The value that Student's t stays below with this probability."""
    from scipy.stats import t

    return float(t.ppf(probability, freedom))


def t_tails(value: float, freedom: float) -> float:
    """How often Student's t is at least this far from zero, to either side."""
    from scipy.stats import t

    return float(2 * t.sf(abs(value), freedom))


def t_power(shift: float, freedom: float, alpha: float) -> float:
    """How often a two-sided t test finds an effect that shifts its statistic by this much."""
    from scipy.stats import nct, t

    bound = float(t.ppf(1 - alpha / 2, freedom))
    return float(nct.sf(bound, freedom, shift) + nct.cdf(-bound, freedom, shift))


def normal_quantile(probability: float) -> float:
    """The value that a standard normal number stays below with this probability."""
    from scipy.special import ndtri

    return float(ndtri(probability))


def ranks(values: Vectors) -> Vectors:
    """Ranks from 1, ties shared."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), dtype=np.float64)
