"""The result of evaluating a candidate: an outcome and, if it is ok, a score."""

from enum import StrEnum

from fmlbench.core.record import Record


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
