"""The agent that is a strategy and a proposer: one decides, the other writes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from fmlbench.agents.dice import dice
from fmlbench.core.agents import Proposer, Session, Strategy
from fmlbench.core.steps import Move, Proposal


class Observer(Protocol):
    """Somebody who writes down, as notes, what a strategy wants to know of steps beyond the history itself."""

    def observe(self, session: Session) -> None:
        """Note what is missing of the steps so far; what is on record already is not noted again."""
        ...


@dataclass(frozen=True)
class SearchAgent:
    """Move, propose, submit, until the budget is spent or the strategy is done.

    It keeps nothing between steps: what it does next follows from the session's history and seed alone.
    """

    strategy: Strategy
    proposer: Proposer
    observer: Observer | None = None
    clock: Callable[[], float] = time.monotonic

    def run(self, session: Session) -> None:
        """Spend the session's budget, beginning with what an interruption left waiting."""
        if session.pending is not None:
            session.submit(session.pending)
        while session.is_open:
            if self.observer is not None:
                self.observer.observe(session)
            history = session.history
            move = self.strategy.next_move(history, dice(session.seed, "move", len(history)))
            if move is None:
                return
            session.submit(self._propose(move, session, len(history)))

    def _propose(self, move: Move, session: Session, index: int) -> Proposal:
        started = self.clock()
        proposal = self.proposer.propose(move, session, dice(session.seed, "proposal", index))
        if proposal.usage.seconds:
            return proposal
        seconds = self.clock() - started
        return replace(proposal, usage=proposal.usage.model_copy(update={"seconds": seconds}))
