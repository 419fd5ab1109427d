"""The protocols of an agent and its parts, and all information about a task that an agent gets."""

from collections.abc import Mapping
from random import Random
from typing import Protocol, runtime_checkable

from fmlbench.core.evaluation import Metric
from fmlbench.core.notes import Note
from fmlbench.core.record import Record
from fmlbench.core.steps import History, Move, Proposal, Step
from fmlbench.core.task import Limits


class StageBrief(Record):
    """One command of the experiment and its limits."""

    name: str
    command: str
    limits: Limits


class Brief(Record):
    """The same input for every agent."""

    task: str
    title: str
    question: str
    instructions: str
    codebase: str
    repository: tuple[str, ...]
    """All files of the repository; agents can read them."""
    editable: tuple[str, ...]
    patterns: tuple[str, ...]
    """Globs of the files that may be changed or added."""
    suggested: tuple[str, ...]
    information_bytes: int
    """How much information a proposal may add to the baseline."""
    protected: tuple[str, ...]
    commands: tuple[StageBrief, ...]
    packages: tuple[str, ...] = ()
    """Importable packages besides the standard library."""
    metric: Metric
    baseline_score: float | None
    sigma: float | None
    rules: tuple[str, ...]
    track: str
    sealed: bool


class SessionClosed(Exception):
    """A proposal was submitted after the budget was spent."""


class NoMoreCalls(Exception):
    """The next model call is not allowed, so the search ends; the message says why."""


class Session(Protocol):
    """An agent's only interface to the benchmark: read, and spend budget by submitting."""

    @property
    def brief(self) -> Brief:
        """All information about the task that the agent gets."""
        ...

    @property
    def history(self) -> History:
        """The steps so far; the baseline is step 0."""
        ...

    @property
    def seed(self) -> int:
        """The run's seed; every random choice of an agent derives from it."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether there is budget for another step."""
        ...

    @property
    def pending(self) -> Proposal | None:
        """A proposal that was logged before an interruption and has not been evaluated yet."""
        ...

    def code_of(self, step: int) -> Mapping[str, str]:
        """The editable files after a step, by path."""
        ...

    def repository(self) -> Mapping[str, str]:
        """Every text file of the untouched repository, by path."""
        ...

    def note(self, note: Note) -> None:
        """Log something that a resumed run needs."""
        ...

    def submit(self, proposal: Proposal) -> Step:
        """Spend one step: run the experiment and return the graded step. This is the only way to get a score."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """Chooses the next move: a pure function of the history and the random generator."""

    def next_move(self, history: History, rng: Random) -> Move | None:
        """Return the next move, or None when the search is done."""
        ...


@runtime_checkable
class Proposer(Protocol):
    """Writes the code for a move."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the changed files, the idea as text, and the cost."""
        ...


@runtime_checkable
class Agent(Protocol):
    """Anything that spends a session's budget."""

    def run(self, session: Session) -> None:
        """Submit proposals until the session closes or the search is done."""
        ...
