"""Gains on the scale of a task's anchors, so that they compare across tasks."""

import math
from collections.abc import Sequence

from fmlbench.core.metric import Metric
from fmlbench.metrics.trace import Trace


def scaled_gain(metric: Metric, score: float, baseline: float) -> float:
    """The gain over the baseline as a share of the way from a useless to a perfect score; NaN if there is no way."""
    span = abs(metric.best - metric.worst)
    return metric.gain(score, baseline) / span if span else math.nan


def normalised_improvement(metric: Metric, score: float, baseline: float) -> float:
    """The same as the reference scorer has it: what is worse than the baseline counts as the baseline."""
    gain = scaled_gain(metric, score, baseline)
    return gain if math.isnan(gain) else max(gain, 0.0)


def best_so_far(trace: Trace, baseline: float) -> Sequence[float]:
    """The scaled gain of the best validation score after each proposed step; the baseline is where it starts."""
    best, gains = baseline, list[float]()
    for step in trace.proposed:
        if step.score is not None and trace.metric.is_better(step.score, best):
            best = step.score
        gains.append(scaled_gain(trace.metric, best, baseline))
    return gains
