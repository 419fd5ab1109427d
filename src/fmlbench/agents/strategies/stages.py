"""The four stages of the AI Scientist v2: when each begins, and its goal."""

from collections.abc import Sequence
from dataclasses import dataclass

from fmlbench.core.steps import History, StagePlan, Step

_GOALS = {
    "basic": "Get a simple version of an idea to work: it must run to completion and get a score.",
    "tuning": "Tune hyperparameters: learning rates, sizes, schedules. Do not change the method.",
    "creative": "Find something new: change the method itself, one step beyond what was tried.",
    "ablation": "Remove or vary components one at a time to find out what causes the gain; keep what helps.",
}
_FEWEST_STEPS = 3
"""Before a new goal is set: the minimum steps of a part, and the number of equal scores that end it."""


@dataclass(frozen=True)
class SearchStage:
    """One of the four stages and its first step."""

    number: int
    first: int

    @property
    def varies_one_step(self) -> bool:
        """Whether all steps of the stage vary the step that it started from."""
        return self.number in {2, 4}

    def plan(self, history: History) -> StagePlan:
        """The stage's goal and the number of the current part.

        A part ends when it is half of the stage, or when its last scores are all the same. A language model then sets
        the next goal.
        """
        name = tuple(_GOALS)[self.number - 1]
        return StagePlan(stage=name, part=_parts(history.steps[self.first :]), goal=_GOALS[name])


def stage_at(history: History, shares: Sequence[float]) -> SearchStage:
    """The stage of the next step; the first stage has at least one step."""
    step, number, share = len(history), 1, 0.0
    first = 1
    for each in shares:
        share += each
        end = max(1, round(share * history.budget))
        if step <= end:
            break
        number, first = number + 1, end + 1
    return SearchStage(number, first)


def _parts(journal: Sequence[Step]) -> int:
    parts, length, equal = 1, 0, 0
    score: float | None = None
    for done, step in enumerate(journal, start=1):
        length += 1
        if step.score is not None:
            equal = equal + 1 if step.score == score else 1
            score = step.score
        if length >= max(_FEWEST_STEPS, done // 2) or equal >= _FEWEST_STEPS:
            parts, length, equal, score = parts + 1, 0, 0, None
    return parts
