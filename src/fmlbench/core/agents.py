"""The protocols an agent is made of."""

from collections.abc import Mapping
from random import Random
from typing import Protocol, runtime_checkable

from fmlbench.core.brief import Brief
from fmlbench.core.steps import History, Move, Note, Proposal, Step


class SessionClosed(Exception):
    """A proposal was submitted after the budget was spent."""


class NoMoreCalls(Exception):
    """The next call of a model is not allowed, so the search is over; says why."""


class Session(Protocol):
    """An agent's only way to the benchmark: read, and spend budget by submitting."""

    @property
    def brief(self) -> Brief:
        """Everything an agent is told."""
        ...

    @property
    def history(self) -> History:
        """The steps so far; the baseline is step 0."""
        ...

    @property
    def seed(self) -> int:
        """The run's seed; all dice of an agent come from it."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether there is budget for another step."""
        ...

    @property
    def pending(self) -> Proposal | None:
        """A proposal that was logged before an interruption and still waits for its experiment."""
        ...

    def code_of(self, step: int) -> Mapping[str, str]:
        """The editable files after a step, by path."""
        ...

    def repository(self) -> Mapping[str, str]:
        """Every text file of the untouched repository, by path."""
        ...

    def note(self, note: Note) -> None:
        """Write something down that a resumed run must find again."""
        ...

    def submit(self, proposal: Proposal) -> Step:
        """Spend one step: run the experiment, return the graded step. There is no other way to a score."""
        ...


@runtime_checkable
class Strategy(Protocol):
    """Which move next: a pure function of the history and the dice."""

    def next_move(self, history: History, rng: Random) -> Move | None:
        """Return the next move, or None when the search is done."""
        ...


@runtime_checkable
class Proposer(Protocol):
    """Who writes the code for a move."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the changed files, the idea in words and what it cost."""
        ...


@runtime_checkable
class Agent(Protocol):
    """Anything that spends a session's budget."""

    def run(self, session: Session) -> None:
        """Submit proposals until the session closes or the search is done."""
        ...
