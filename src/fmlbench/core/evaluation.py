"""The metric of a task, and the result of evaluating a candidate: an outcome and, if it is ok, a score."""

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


class Outcome(StrEnum):
    """How an evaluation ended."""

    OK = "ok"
    CRASHED = "crashed"
    """The candidate's code failed or wrote no answers."""
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out-of-memory"
    REJECTED = "rejected"
    """The proposal did not apply or broke the editing rules; no experiment was run."""
    INVALID = "invalid"
    """The candidate ran, but its answers break a rule of the task."""
    INFRA = "infra"
    """The machine failed; never counted against an agent."""


class Evaluation(Record):
    """The graded result of a candidate on one exam."""

    outcome: Outcome
    score: float | None = None
    metrics: dict[str, float] = {}
    reason: str = ""
    """Why the outcome is not ok, in one line."""
    log_tail: str = ""
    """The end of the candidate's output, where a traceback appears."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    self_reported: dict[str, float] = {}
    """Metrics that the codebase itself reported; shown next to the score, never used for it."""
    violations: tuple[str, ...] = ()
    """Detected behaviour that no honest candidate shows."""

    @property
    def is_ok(self) -> bool:
        """Whether there is a score to compare."""
        return self.outcome is Outcome.OK and self.score is not None
