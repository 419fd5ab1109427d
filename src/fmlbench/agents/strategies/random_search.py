"""Random search: every step that worked is as good a place to go on from as any other."""

from dataclasses import dataclass
from random import Random

from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class RandomSearch:
    """Improve a step drawn uniformly from those with a score, the baseline among them."""

    def next_move(self, history: History, rng: Random) -> Move:
        """Draw the parent; where nothing has a score, it is the baseline."""
        parents = [step.index for step in history if step.score is not None] or [0]
        return Move(operator=Operator.IMPROVE, parents=(rng.choice(parents),))
