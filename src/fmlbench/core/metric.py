"""The metric that a task is scored by, and its direction."""

import math
from enum import StrEnum

from fmlbench.core.record import Record


class Goal(StrEnum):
    """Whether higher or lower scores are better."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"


class Metric(Record):
    """A score with a direction and fixed anchors, so that improvements are comparable across tasks."""

    name: str
    goal: Goal
    best: float
    """The score of a perfect method."""
    worst: float
    """The score of a useless method."""
    too_good: float | None = None
    """A score better than this is flagged as implausible."""

    def is_better(self, score: float | None, other: float | None) -> bool:
        """Whether ``score`` beats ``other``; None and NaN are worse than any number."""
        if score is None or math.isnan(score):
            return False
        if other is None or math.isnan(other):
            return True
        return score > other if self.goal is Goal.MAXIMIZE else score < other

    def is_too_good(self, score: float) -> bool:
        """Whether a score is better than any honest method is known to reach."""
        return self.too_good is not None and self.gain(score, self.too_good) > 0

    def gain(self, score: float, other: float) -> float:
        """How much better ``score`` is than ``other``, in the metric's unit; positive is better."""
        return score - other if self.goal is Goal.MAXIMIZE else other - score

    def improvement(self, score: float, baseline: float) -> float:
        """The gain over the baseline, as a share of the gap to a perfect score; negative when worse."""
        return self.gain(score, baseline) / self.gain(self.best, baseline)
