"""The AI Scientist, first version: ideas first, then a few runs for each (Lu et al., arXiv 2408.06292).

The strategy only numbers the ideas. A language model as proposer writes all of them before the first run; the random
proposer ignores them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.notes import IdeaDone
from fmlbench.core.steps import History, IdeaPlan, Move, Operator, Step


@dataclass(frozen=True)
class AIScientist:
    """One idea after the other, each in a separate chain from the baseline; ends after the last idea."""

    ideas: int = parameter(25, "number of ideas to implement", low=1)
    reflections: int = parameter(3, "number of turns in which an idea is written and revised", low=1)
    runs: int = parameter(5, "number of successful runs for each idea", low=1)
    tries: int = parameter(4, "number of consecutive failures after which an idea is abandoned", low=1)

    def next_move(self, history: History, rng: Random) -> Move | None:
        """Continue the current idea from its last step, or start the next one."""
        number = len(history.drafts)
        chain = history.steps[history.drafts[-1].index :] if number else ()
        if not chain or self._is_over(chain, history):
            return self._begin(number + 1, history)
        last, run = chain[-1], sum(step.score is not None for step in chain) + 1
        return Move(
            operator=Operator.DEBUG if last.has_failed else Operator.IMPROVE,
            parents=(last.index,),
            context=tuple(step.index for step in chain),
            plan=self._plan(number, run, history),
        )

    def _begin(self, number: int, history: History) -> Move | None:
        if number > self.ideas:
            return None
        return Move(
            operator=Operator.DRAFT,
            context=tuple(step.index for step in history.drafts),
            plan=self._plan(number, 1, history),
        )

    def _plan(self, number: int, run: int, history: History) -> IdeaPlan:
        # Every idea takes at least one step, so more ideas than steps would never be implemented.
        ideas = min(self.ideas, history.budget)
        return IdeaPlan(number=number, run=run, ideas=ideas, reflections=self.reflections)

    def _is_over(self, chain: Sequence[Step], history: History) -> bool:
        """Whether an idea had all its runs, failed too often, or is marked as done and its last step works."""
        last_tries, idea_steps = chain[-self.tries :], {step.index for step in chain}
        is_done = any(isinstance(note, IdeaDone) and note.step in idea_steps for note in history.notes)
        return (
            sum(step.score is not None for step in chain) >= self.runs
            or (len(last_tries) == self.tries and all(step.has_failed for step in last_tries))
            or (is_done and not chain[-1].has_failed)
        )
