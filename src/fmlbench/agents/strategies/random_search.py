"""Random search: every working step is equally likely to be the next parent."""

from dataclasses import dataclass
from random import Random

from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class RandomSearch:
    """Improve a step sampled uniformly from those with a score, including the baseline."""

    def next_move(self, history: History, rng: Random) -> Move:
        """Choose the parent at random; if no step has a score, it is the baseline."""
        parents = [step.index for step in history if step.score is not None] or [0]
        return Move(operator=Operator.IMPROVE, parents=(rng.choice(parents),))
