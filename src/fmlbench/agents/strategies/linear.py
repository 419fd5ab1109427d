"""A single chain of steps, like a coding agent that works in one folder without version control."""

from dataclasses import dataclass
from random import Random

from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class Linear:
    """Continue from the last step, whatever its score; fix it first if it failed."""

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug the last step if it failed, else improve it."""
        last = history[-1]
        is_broken = last.has_failed and last.index > 0
        return Move(
            operator=Operator.DEBUG if is_broken else Operator.IMPROVE,
            parents=(last.index,),
            context=tuple(range(1, len(history))),
        )
