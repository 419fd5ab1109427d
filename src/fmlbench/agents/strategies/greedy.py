"""Greedy search, as in autoresearch: keep a step if it is better, else discard it; debug a crash first.

A debug move starts from the code that crashed, not from its parent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.steps import History, Move, Operator, Step


@dataclass(frozen=True)
class Greedy:
    """Improve the best step so far, after at most ``debug_tries`` attempts to fix the last one."""

    debug_tries: int = parameter(2, "maximum number of consecutive attempts to fix a failed step", low=0)

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug the last step if it failed and has attempts left, else improve the best."""
        return climb(history, history.steps, self.debug_tries)


def climb(history: History, steps: Sequence[Step], debug_tries: int) -> Move:
    """The greedy move for some steps of a history; the first is the one they started from."""
    first, last = steps[0], steps[-1]
    seen = tuple(step.index for step in steps if step.index)
    if last is not first and last.has_failed and history.debug_depth(last.index) < debug_tries:
        return Move(operator=Operator.DEBUG, parents=(last.index,), context=seen)
    best = history.best_of(steps) or first
    return Move(operator=Operator.IMPROVE, parents=(best.index,), context=seen)
