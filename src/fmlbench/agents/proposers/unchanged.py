"""Proposes nothing new: what an agent is worth that does no research."""

from dataclasses import dataclass
from random import Random

from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Proposal


@dataclass(frozen=True)
class Unchanged:
    """Hands in the parent's code as it is."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the parent's files."""
        return Proposal(move=move, files=session.code_of(move.parents[0]), idea="leave the code as it is")
