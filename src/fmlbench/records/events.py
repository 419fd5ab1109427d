"""What happens in a run, as typed events; the log of them is the truth about the run.

Two logs, because two audiences: ``events.jsonl`` holds what the agent's side of the run may know, ``sealed.jsonl``
what nobody may learn before the run is over (hidden test scores and retests).
"""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.record import Record
from fmlbench.core.retests import RetestKey, RetestKind
from fmlbench.core.run import RunSpec
from fmlbench.core.steps import Move, Note, Step, Usage
from fmlbench.core.task import Task
from fmlbench.records.provenance import Provenance

FORMAT = 1
"""Bumped when a record changes its shape; a migration comes with it."""


def now() -> str:
    """The time of an event; nothing about a run itself is ever decided by it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Happening(Record):
    """Something that happened, and when."""

    at: str = Field(default_factory=now)


class RunStarted(Happening):
    """The first line of every log."""

    event: Literal["run-started"] = "run-started"
    format: int = FORMAT
    spec: RunSpec
    task: Task | None = None
    """The task's facts on the run's track, so that a run can be read where its task is not known."""
    provenance: Provenance


class ProposalMade(Happening):
    """A proposal is stored and will not be asked for again."""

    event: Literal["proposal-made"] = "proposal-made"
    index: int
    move: Move
    idea: str
    snapshot: str
    usage: Usage = Usage()
    rejection: str = ""
    information_bytes: int | None = None
    """What the proposal adds to the baseline; None where it was rejected before this was measured."""


class StepStarted(Happening):
    """An experiment begins; a second attempt means that the first was interrupted or the machine failed."""

    event: Literal["step-started"] = "step-started"
    index: int
    attempt: int


class Trouble(Happening):
    """The machine failed during a step; the step is tried again and costs the agent nothing."""

    event: Literal["trouble"] = "trouble"
    index: int
    reason: str


class StepFinished(Happening):
    """A step is graded; this is all that the agent ever learns of it."""

    event: Literal["step-finished"] = "step-finished"
    step: Step


class NoteMade(Happening):
    """An agent wrote something down."""

    event: Literal["note-made"] = "note-made"
    note: Note


class RunFinished(Happening):
    """The agent's part is over."""

    event: Literal["run-finished"] = "run-finished"
    reason: str
    reference_similarity: float | None = None
    """The share of what the best step adds that the task's expert reference adds as well; None without such a step."""


class TestScored(Happening):
    """Sealed: a step's score on the hidden test."""

    event: Literal["test-scored"] = "test-scored"
    index: int
    evaluation: Evaluation


class Retested(Happening):
    """Sealed: the winner, or the baseline, on the hidden test of a sample that no step has seen."""

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
