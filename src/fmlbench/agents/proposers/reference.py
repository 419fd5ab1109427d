"""Proposes what an expert wrote: how far up the task's scale a known method gets."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from fmlbench.core.agents import Session
from fmlbench.core.steps import Move, Proposal


@dataclass(frozen=True)
class Reference:
    """Lays the task's expert reference over the baseline."""

    files: Mapping[str, str]
    idea: str

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        """Return the baseline's files with the reference's in place of their namesakes."""
        return Proposal(move=move, files={**session.code_of(0), **self.files}, idea=self.idea)
