"""Greedy search: keep a step if it is better, else discard it; debug a crash first."""

from dataclasses import dataclass
from random import Random

from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Operator, Step


@dataclass(frozen=True)
class Greedy:
    """Improve the best step so far, after at most ``debug_tries`` attempts to mend the last one."""

    debug_tries: int = 2

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug the last step if it failed and is worth another try, else improve the best."""
        last = len(history) - 1
        if last > 0 and _has_failed(history[last]) and history.debug_depth(last) < self.debug_tries:
            return Move(operator=Operator.DEBUG, parents=(last,))
        best = history.best
        return Move(operator=Operator.IMPROVE, parents=(best.index if best else 0,))


def _has_failed(step: Step) -> bool:
    """Whether the candidate itself went wrong, not the machine it ran on."""
    return step.score is None and step.evaluation.outcome is not Outcome.INFRA
