"""Rebuild a run's state from its logs; this is how runs are resumed."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain

from fmlbench.core.errors import RunDamaged
from fmlbench.core.evaluation import Evaluation, Metric
from fmlbench.core.notes import Note
from fmlbench.core.run import RetestKey, RunSpec, due_retests
from fmlbench.core.steps import History, Step, usages_of
from fmlbench.core.task import Task
from fmlbench.core.usage import Usage
from fmlbench.records.events import (
    Event,
    NoteMade,
    ProposalMade,
    Retested,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TestScored,
)
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import each_event
from fmlbench.records.provenance import Provenance


@dataclass
class RunState:
    """The state of a run according to its logs."""

    spec: RunSpec | None = None
    task: Task | None = None
    provenance: Provenance | None = None
    started: str = ""
    """When the run started; empty before the start."""
    steps: list[Step] = field(default_factory=list[Step])
    notes: list[Note] = field(default_factory=list[Note])
    pending: ProposalMade | None = None
    attempts: int = 0
    """Number of experiments started for the pending proposal."""
    finished: str = ""
    """Why the agent finished; empty before."""
    reference_similarity: float | None = None
    """Of the best step's code to the task's expert reference."""
    tests: dict[int, Evaluation] = field(default_factory=dict[int, Evaluation])
    """Sealed: hidden test scores by step."""
    retests: dict[RetestKey, Evaluation] = field(default_factory=dict[RetestKey, Evaluation])
    """Sealed: on fresh samples, on the sibling, and starved of training data."""

    @property
    def usages(self) -> list[Usage]:
        """All usage: of each step, and outside of steps."""
        return usages_of(self.steps, self.notes)

    def history(self, metric: Metric) -> History:
        """The history as the agent sees it."""
        history = History(metric=metric, steps=tuple(self.steps), notes=tuple(self.notes))
        return replace(history, budget=self.spec.budget.steps) if self.spec else history

    def is_complete(self, spec: RunSpec, metric: Metric) -> bool:
        """Whether the agent has finished and every retest is done."""
        best = self.history(metric).best
        due = due_retests(self.task, spec.retest_seeds, best.index if best else 0)
        return bool(self.finished) and set(due) <= self.retests.keys()

    def apply(self, event: Event) -> None:
        """Update the state with an event."""
        match event:
            case RunStarted():
                self.spec, self.task, self.provenance = event.spec, event.task, event.provenance
                self.started = self.started or event.at
            case ProposalMade():
                self._expect(event.index, "proposal")
                self.pending, self.attempts = event, 0
            case StepStarted():
                self.attempts = event.attempt
            case StepFinished():
                self._expect(event.step.index, "step")
                self.steps.append(event.step)
                self.pending, self.attempts = None, 0
            case NoteMade():
                self.notes.append(event.note)
            case RunFinished():
                self.finished, self.reference_similarity = event.reason, event.reference_similarity
            case TestScored():
                self.tests[event.index] = event.evaluation
            case Retested():
                self.retests[event.key] = event.evaluation
            case _:
                pass

    def _expect(self, index: int, what: str) -> None:
        if index != len(self.steps):
            raise RunDamaged(
                f"The log has {what} {index} after {len(self.steps)} finished steps.",
                hint="Two processes must have written to it. Start a new run with --label.",
            )


def replay(events: Iterable[Event]) -> RunState:
    """The state after all of these events."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def read_state(folder: RunFolder) -> RunState:
    """The state of a run according to its two logs."""
    return replay(chain(each_event(folder.events), each_event(folder.sealed)))
