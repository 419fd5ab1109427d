"""The agent that is a strategy and a proposer: one decides, the other writes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from fmlbench.agents.dice import dice
from fmlbench.core.agents import Proposer, Session, Strategy
from fmlbench.core.steps import Move, Proposal


@dataclass(frozen=True)
class SearchAgent:
    """Move, propose, submit, until the budget is spent or the strategy is done.

    It keeps nothing between steps: what it does next follows from the session's history and seed alone.
    """

    strategy: Strategy
    proposer: Proposer
    clock: Callable[[], float] = time.monotonic

    def run(self, session: Session) -> None:
        """Spend the session's budget, beginning with what an interruption left waiting."""
        if session.pending is not None:
            session.submit(session.pending)
        while session.is_open:
            index = len(session.history)
            move = self.strategy.next_move(session.history, dice(session.seed, "move", index))
            if move is None:
                return
            session.submit(self._propose(move, session, index))

    def _propose(self, move: Move, session: Session, index: int) -> Proposal:
        started = self.clock()
        proposal = self.proposer.propose(move, session, dice(session.seed, "proposal", index))
        if proposal.usage.seconds:
            return proposal
        seconds = self.clock() - started
        return replace(proposal, usage=proposal.usage.model_copy(update={"seconds": seconds}))
