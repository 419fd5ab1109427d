"""AIDE: a few drafts, then debug what is broken or improve what is best (Jiang et al., arXiv 2502.13138)."""

from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class Aide:
    """A tree with the baseline as its root, drafts below it, and improvements and fixes below the drafts."""

    drafts: int = parameter(5, "number of initial drafts", low=1)
    debug_chance: float = parameter(
        0.5, "probability of fixing a failed step instead of improving the best one", low=0, high=1
    )
    debug_depth: int = parameter(3, "number of consecutive fixes after which a failed step may be fixed again", low=0)

    def next_move(self, history: History, rng: Random) -> Move:
        """Draft; then, at random, debug a failed leaf or improve the best working step."""
        memory = tuple(step.index for step in history.working)
        if len(history.drafts) < self.drafts:
            return Move(operator=Operator.DRAFT, context=memory)
        if rng.random() < self.debug_chance and (broken := history.fixable(self.debug_depth)):
            return Move(operator=Operator.DEBUG, parents=(rng.choice(broken).index,))
        best = history.best_of(history.working)
        if best is None:
            return Move(operator=Operator.DRAFT)
        return Move(operator=Operator.IMPROVE, parents=(best.index,), context=memory)
