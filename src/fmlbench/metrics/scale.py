"""Gains scaled by a task's range, so that they are comparable across tasks."""

import math
from collections.abc import Sequence

from fmlbench.core.evaluation import Metric
from fmlbench.metrics.trace import Trace


def scaled_gain(metric: Metric, score: float, baseline: float) -> float:
    """The gain over the baseline as a share of the range from worst to best score; NaN if the range is empty."""
    span = abs(metric.best - metric.worst)
    return metric.gain(score, baseline) / span if span else math.nan


def normalised_improvement(metric: Metric, score: float, baseline: float) -> float:
    """The same, clamped at zero as in the reference scorer."""
    gain = scaled_gain(metric, score, baseline)
    return gain if math.isnan(gain) else max(gain, 0.0)


def best_so_far(trace: Trace, baseline: float) -> Sequence[float]:
    """The scaled gain of the best validation score after each proposed step, starting from the baseline."""
    best, gains = baseline, list[float]()
    for step in trace.proposed:
        if step.score is not None and trace.metric.is_better(step.score, best):
            best = step.score
        gains.append(scaled_gain(trace.metric, best, baseline))
    return gains
