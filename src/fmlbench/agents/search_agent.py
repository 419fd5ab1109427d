"""An agent made of a strategy, which chooses moves, and a proposer, which writes code."""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from reprlib import repr as in_short
from typing import Protocol, cast

from fmlbench.agents.user_file import Mistake, blamed_on
from fmlbench.core.agents import Proposer, Session, Strategy
from fmlbench.core.steps import History, Move, Operator, Proposal


class Observer(Protocol):
    """Writes notes on steps with information that the strategy needs beyond the history."""

    def observe(self, session: Session) -> None:
        """Write the missing notes of all steps; existing notes are not repeated."""
        ...


@dataclass(frozen=True)
class SearchAgent:
    """Move, propose, submit, until the budget is spent or the strategy is done.

    It has no state: the next step depends only on the session's history and seed.
    """

    strategy: Strategy
    proposer: Proposer
    observer: Observer | None = None
    clock: Callable[[], float] = time.monotonic

    def run(self, session: Session) -> None:
        """Run until the end; a proposal that an interruption left pending is submitted first."""
        if session.pending is not None:
            session.submit(session.pending)
        while session.is_open:
            if self.observer is not None:
                with blamed_on(self.observer):
                    self.observer.observe(session)
            history = session.history
            move = self._decide(history, session.seed)
            if move is None:
                return
            session.submit(self._propose(move, session, len(history)))

    def _decide(self, history: History, seed: int) -> Move | None:
        with blamed_on(self.strategy):
            move = self.strategy.next_move(history, seeded_rng(seed, "move", len(history)))
            if move is not None:
                require_move(move, len(history))
        return move

    def _propose(self, move: Move, session: Session, index: int) -> Proposal:
        started = self.clock()
        with blamed_on(self.proposer):
            proposal = self.proposer.propose(move, session, seeded_rng(session.seed, "proposal", index))
            require_proposal(proposal, move)
        if proposal.usage.seconds:
            return proposal
        seconds = self.clock() - started
        return replace(proposal, usage=proposal.usage.model_copy(update={"seconds": seconds}))


def seeded_rng(seed: int, what: str, index: int) -> Random:
    """The generator for one decision, independent of earlier ones, so that a resumed run makes the same decisions.

    Seeded by SHA-256, because Python's ``hash`` differs between processes.
    """
    name = f"{seed}/{what}/{index}"
    return Random(int.from_bytes(hashlib.sha256(name.encode()).digest()))  # noqa: S311


def require_move(move: object, steps: int) -> None:
    """Raise Mistake unless this is a valid move after so many steps, including the baseline."""
    if not isinstance(move, Move):
        raise Mistake(f"next_move returned {in_short(move)}, which is not a Move")
    named = (*move.parents, *move.context)
    if not move.parents:
        raise Mistake(f"a move to {move.operator} has no parents; the parent of a draft is step 0, the baseline")
    if min(named) < 0 or max(named) >= steps:
        missing = next(step for step in named if not 0 <= step < steps)
        raise Mistake(f"a move to {move.operator} names step {missing}, but the last step is {steps - 1}")
    if move.operator is Operator.COMBINE and len(move.parents) < 2:
        raise Mistake("a move to combine has one parent, but needs two")
    if move.operator is Operator.BASELINE:
        raise Mistake("a move has the operator baseline, which is reserved for step 0")


def require_proposal(proposal: object, move: Move) -> None:
    """Raise Mistake unless this is a valid proposal for the move."""
    if not isinstance(proposal, Proposal):
        raise Mistake(f"propose returned {in_short(proposal)}, which is not a Proposal")
    if proposal.move != move:
        raise Mistake("the proposal's move differs from the requested one")
    if not _are_texts_by_path(proposal.files):
        raise Mistake("the files of a proposal must be a mapping of paths to strings")


def _are_texts_by_path(files: object) -> bool:
    if not isinstance(files, Mapping):
        return False
    pairs = cast("Mapping[object, object]", files).items()
    return all(isinstance(path, str) and isinstance(text, str) for path, text in pairs)
