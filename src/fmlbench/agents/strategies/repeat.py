"""Draft from the baseline in every step."""

from dataclasses import dataclass
from random import Random

from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class Repeat:
    """A draft from the baseline in every step, ``times`` times or until the budget is spent."""

    times: int | None = None

    def next_move(self, history: History, rng: Random) -> Move | None:
        """Draft again, at most ``times`` times."""
        if self.times is not None and len(history.proposed) >= self.times:
            return None
        return Move(operator=Operator.DRAFT)
