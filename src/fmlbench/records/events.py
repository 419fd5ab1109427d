"""The typed events of a run; their logs are the only source of a run's state.

There are two logs: ``events.jsonl`` contains what the agent may know, ``sealed.jsonl`` what must stay hidden until the
run has finished (hidden test scores and retests).
"""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.notes import Note
from fmlbench.core.record import Record
from fmlbench.core.run import RetestKey, RetestKind, RunSpec
from fmlbench.core.steps import Move, Step
from fmlbench.core.task import Task
from fmlbench.core.usage import Usage
from fmlbench.records.provenance import Provenance

FORMAT = 1
"""Incremented when a record's format changes; each change comes with a migration."""


def now() -> str:
    """The time of an event; no decision in a run depends on it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class TimedEvent(Record):
    """The base of all events: the time at which it happened."""

    at: str = Field(default_factory=now)


class RunStarted(TimedEvent):
    """The first line of every log."""

    event: Literal["run-started"] = "run-started"
    format: int = FORMAT
    spec: RunSpec
    task: Task | None = None
    """The task's manifest for the run's track, so that a run can be read on machines without the task."""
    provenance: Provenance


class ProposalMade(TimedEvent):
    """A proposal is stored; a resumed run will not request it again."""

    event: Literal["proposal-made"] = "proposal-made"
    index: int
    move: Move
    idea: str
    snapshot: str
    usage: Usage = Usage()
    rejection: str = ""
    information_bytes: int | None = None
    """How much information it adds to the baseline; None if it was rejected before this was measured."""


class StepStarted(TimedEvent):
    """An experiment starts; a second attempt means that the first was interrupted or the machine failed."""

    event: Literal["step-started"] = "step-started"
    index: int
    attempt: int


class Trouble(TimedEvent):
    """The machine failed during a step; the step is retried at no cost to the agent."""

    event: Literal["trouble"] = "trouble"
    index: int
    reason: str


class StepFinished(TimedEvent):
    """A step is graded; this is all that the agent sees of its result."""

    event: Literal["step-finished"] = "step-finished"
    step: Step


class NoteMade(TimedEvent):
    """An agent logged a note."""

    event: Literal["note-made"] = "note-made"
    note: Note


class RunFinished(TimedEvent):
    """The agent has finished; retests follow."""

    event: Literal["run-finished"] = "run-finished"
    reason: str
    reference_similarity: float | None = None
    """The share of the best step's added code that the expert reference adds too; None if no step beat the baseline."""


class TestScored(TimedEvent):
    """Sealed: a step's score on the hidden test."""

    event: Literal["test-scored"] = "test-scored"
    index: int
    evaluation: Evaluation


class Retested(TimedEvent):
    """Sealed: the score of the winner or the baseline on the hidden test of a fresh sample."""

    event: Literal["retested"] = "retested"
    index: int
    """Which step's code; 0 is the baseline."""
    seed: int
    kind: RetestKind = RetestKind.FRESH
    evaluation: Evaluation

    @property
    def key(self) -> RetestKey:
        """Which of the run's retests this is."""
        return RetestKey(self.kind, self.index, self.seed)


Event = Annotated[
    RunStarted | ProposalMade | StepStarted | Trouble | StepFinished | NoteMade | RunFinished | TestScored | Retested,
    Field(discriminator="event"),
]

EVENTS: TypeAdapter[Event] = TypeAdapter(Event)
