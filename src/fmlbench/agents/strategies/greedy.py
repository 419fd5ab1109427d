"""Greedy search: keep a step if it is better, else discard it; debug a crash first."""

from dataclasses import dataclass
from random import Random

from fmlbench.agents.scored import has_failed
from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class Greedy:
    """Improve the best step so far, after at most ``debug_tries`` attempts to mend the last one."""

    debug_tries: int = 2

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug the last step if it failed and is worth another try, else improve the best."""
        last = len(history) - 1
        if last > 0 and has_failed(history[last]) and history.debug_depth(last) < self.debug_tries:
            return Move(operator=Operator.DEBUG, parents=(last,))
        best = history.best
        return Move(operator=Operator.IMPROVE, parents=(best.index if best else 0,))
