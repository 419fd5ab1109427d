"""The number a task is judged by, and what "better" means for it."""

import math
from enum import StrEnum

from fmlbench.core.record import Record


class Goal(StrEnum):
    """Which way is up."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"


class Metric(Record):
    """A score with a direction and fixed anchors, so that improvements compare across tasks."""

    name: str
    goal: Goal
    best: float
    """The score of a perfect method."""
    worst: float
    """The score of a useless one."""
    too_good: float | None = None
    """Beyond this score a result is flagged as too good to be true."""

    def is_better(self, score: float | None, other: float | None) -> bool:
        """Whether ``score`` beats ``other``; no score and NaN beat nothing and lose to any number."""
        if score is None or math.isnan(score):
            return False
        if other is None or math.isnan(other):
            return True
        return score > other if self.goal is Goal.MAXIMIZE else score < other

    def is_too_good(self, score: float) -> bool:
        """Whether a score is beyond what any honest method is known to reach."""
        return self.too_good is not None and self.gain(score, self.too_good) > 0

    def gain(self, score: float, other: float) -> float:
        """How much better ``score`` is than ``other``, in the metric's own unit; positive is better."""
        return score - other if self.goal is Goal.MAXIMIZE else other - score

    def improvement(self, score: float, baseline: float) -> float:
        """The share of the way from the baseline to a perfect score; negative when worse."""
        return self.gain(score, baseline) / self.gain(self.best, baseline)
