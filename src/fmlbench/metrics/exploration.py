"""How widely the agent searched, measured on the vectors of its steps' code.

The formulas are those of the reference scorer. Values of different embedders are not comparable.
"""

from collections.abc import Callable

import numpy as np

from fmlbench.metrics.measure import BOTH, SUCCESSOR, Better, Measure, MeasureFamily, Missing, Value
from fmlbench.metrics.numerics import linkage_heights
from fmlbench.metrics.trace import Cloud, Trace, Vectors

_NO_LENGTH = 1e-8


def diversity(trace: Trace) -> Value:
    """The mean distance of all steps to their centroid."""
    return _of_cloud(trace, lambda cloud: _spread(cloud.points[1:]))


def diversity_valid(trace: Trace) -> Value:
    """The mean distance of the steps with a score to their centroid."""
    rows = [step.index for step in trace.valid]
    return _of_cloud(trace, lambda cloud: _spread(cloud.points[rows]))


def uniqueness(trace: Trace) -> Value:
    """Clusters of steps per step."""
    return _of_cloud(trace, lambda cloud: _clusters(cloud.points[1:], cloud.near) / len(cloud.points[1:]))


def reach(trace: Trace) -> Value:
    """The distance of the farthest step to the baseline."""
    return _of_cloud(trace, lambda cloud: float(np.linalg.norm(cloud.points[1:] - cloud.points[0], axis=1).max()))


def effective_dimension(trace: Trace) -> Value:
    """The participation ratio of the steps' covariance: the effective number of directions."""
    return _of_cloud(trace, lambda cloud: _participation_ratio(cloud.points[1:]))


def _of_cloud(trace: Trace, compute: Callable[[Cloud], Value]) -> Value:
    if trace.cloud is None:
        return Missing("the code was not embedded")
    if not trace.proposed:
        return Missing("no step was taken")
    return compute(trace.cloud)


def _spread(points: Vectors) -> Value:
    if not len(points):
        return Missing("no step has a score")
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).mean())


def _clusters(points: Vectors, near: float) -> int:
    """Agglomerative clusters by cosine distance and average linkage; all zero rows form one cluster."""
    has_length = np.linalg.norm(points, axis=1) > _NO_LENGTH
    directed = points[has_length]
    count = len(directed)
    if count >= 2:
        count = int(np.count_nonzero(linkage_heights(directed) >= near)) + 1
    return count + int(not has_length.all())


def _participation_ratio(points: Vectors) -> float:
    if len(points) < 2:
        return 0.0
    singular = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    variances = singular**2 / (len(points) - 1)
    total = float((variances**2).sum())
    return float(variances.sum()) ** 2 / total if total else 0.0


MEASURES = (
    Measure(
        "diversity",
        MeasureFamily.EXPLORATION,
        "distance",
        Better.NEITHER,
        "The mean distance of all steps' code to their centroid: the paper's diversity, the successor's spread.",
        diversity,
        BOTH,
    ),
    Measure(
        "diversity_valid",
        MeasureFamily.EXPLORATION,
        "distance",
        Better.NEITHER,
        "The same over the steps with a score only.",
        diversity_valid,
        SUCCESSOR,
    ),
    Measure(
        "uniqueness",
        MeasureFamily.EXPLORATION,
        "share",
        Better.NEITHER,
        "Clusters of steps (cosine distance, average linkage, the embedder's threshold) per step.",
        uniqueness,
        SUCCESSOR,
    ),
    Measure(
        "reach",
        MeasureFamily.EXPLORATION,
        "distance",
        Better.NEITHER,
        "The distance between the baseline's code and that of the step farthest from it.",
        reach,
        SUCCESSOR,
    ),
    Measure(
        "effective_dimension",
        MeasureFamily.EXPLORATION,
        "dimensions",
        Better.NEITHER,
        "The participation ratio of the covariance of the steps' vectors: the number of directions in which they vary.",
        effective_dimension,
        SUCCESSOR,
    ),
)
