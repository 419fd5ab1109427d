"""The AI Scientist, first version: ideas first, then each is worked out for a few runs (Lu et al., arXiv 2408.06292).

An idea is a slot with a number. Who fills it is the proposer's business: a language model writes all of them down
before the first run; dice need no idea but themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.steps import History, Move, Operator, Step

IDEA_DONE = "idea-done"
"""The kind of note by which a proposer says that a step's idea needs no further run."""


@dataclass(frozen=True)
class AIScientist:
    """One idea after the other, each in a chain of its own from the baseline; done when the ideas are."""

    ideas: int = parameter(25, "how many ideas there are to work out", low=1)
    reflections: int = parameter(3, "how often an idea is thought over before it counts", low=1)
    runs: int = parameter(5, "how many runs that work an idea gets", low=1)
    tries: int = parameter(4, "after how many failures in a row an idea is abandoned", low=1)

    def next_move(self, history: History, rng: Random) -> Move | None:
        """Go on with the idea at hand, from the code as it is now, or take up the next one."""
        number = len(history.drafts)
        chain = history.steps[history.drafts[-1].index :] if number else ()
        if not chain or self._is_over(chain, history):
            return self._begin(number + 1, history)
        last, run = chain[-1], sum(step.score is not None for step in chain) + 1
        return Move(
            operator=Operator.DEBUG if last.has_failed else Operator.IMPROVE,
            parents=(last.index,),
            context=tuple(step.index for step in chain),
            tags={"idea": str(number), "run": str(run)},
        )

    def _begin(self, number: int, history: History) -> Move | None:
        if number > self.ideas:
            return None
        # Every idea takes a step at least: more than there are steps would be thought up for nothing.
        ideas = min(self.ideas, history.budget)
        return Move(
            operator=Operator.DRAFT,
            context=tuple(step.index for step in history.drafts),
            tags={"idea": str(number), "run": "1", "of": f"{ideas} ideas, {self.reflections} reflections each"},
        )

    def _is_over(self, chain: Sequence[Step], history: History) -> bool:
        """Whether an idea had all its runs, failed too often, or is done: then only what failed is still mended."""
        last_tries, idea_steps = chain[-self.tries :], {step.index for step in chain}
        is_done = any(note.kind == IDEA_DONE and note.step in idea_steps for note in history.notes)
        return (
            sum(step.score is not None for step in chain) >= self.runs
            or (len(last_tries) == self.tries and all(step.has_failed for step in last_tries))
            or (is_done and not chain[-1].has_failed)
        )
