"""AIDE: a few drafts, then debug what is broken or improve what is best (Jiang et al., arXiv 2502.13138)."""

from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.steps import History, Move, Operator


@dataclass(frozen=True)
class Aide:
    """A tree whose root is the baseline: drafts below it, one improvement or repair at a time below those."""

    drafts: int = parameter(5, "how many drafts come first", low=1)
    debug_chance: float = parameter(
        0.5, "how likely a broken step is mended rather than the best improved", low=0, high=1
    )
    debug_depth: int = parameter(3, "after how many repairs in a row a broken step may be mended once more", low=0)

    def next_move(self, history: History, rng: Random) -> Move:
        """Draft; then, by the dice, debug a broken leaf or improve the best step that works."""
        memory = tuple(step.index for step in history.working)
        if len(history.drafts) < self.drafts:
            return Move(operator=Operator.DRAFT, context=memory)
        if rng.random() < self.debug_chance and (broken := history.fixable(self.debug_depth)):
            return Move(operator=Operator.DEBUG, parents=(rng.choice(broken).index,))
        best = history.best_of(history.working)
        if best is None:
            return Move(operator=Operator.DRAFT)
        return Move(operator=Operator.IMPROVE, parents=(best.index,), context=memory)
