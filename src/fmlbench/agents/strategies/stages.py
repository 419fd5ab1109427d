"""The four stages of the second AI Scientist: when each begins, and what it is for."""

from collections.abc import Sequence
from dataclasses import dataclass

from fmlbench.core.steps import History, Step

_GOALS = {
    "basic": "Get a simple version of an idea to work: it runs to its end and gives a score.",
    "tuning": "Tune what works: learning rates, sizes, schedules. Leave the method as it is.",
    "creative": "Find something new: change the method itself, one step beyond what was tried.",
    "ablation": "Take parts away or vary them one at a time, to find out what the gain is due to; keep what helps.",
}
_FEWEST_STEPS = 3
"""Before the goal is thought over: in a part of a stage, or with one and the same score."""


@dataclass(frozen=True)
class SearchStage:
    """One of the four, from its first step on."""

    number: int
    first: int

    @property
    def varies_one_step(self) -> bool:
        """Whether all of the stage's steps are made of the one it began with."""
        return self.number in {2, 4}

    def tags(self, history: History) -> dict[str, str]:
        """What a proposer is told: the stage's goal, and which part of the stage this is.

        A part ends when it is half of the stage, or when its last scores are all the same. A language model then
        writes down what to aim for next.
        """
        name = tuple(_GOALS)[self.number - 1]
        return {"stage": name, "part": str(_parts(history.steps[self.first :])), "goal": _GOALS[name]}


def stage_at(history: History, shares: Sequence[float]) -> SearchStage:
    """The stage of the step that comes next; the first has one step at least."""
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
    parts, length, alike = 1, 0, 0
    score: float | None = None
    for done, step in enumerate(journal, start=1):
        length += 1
        if step.score is not None:
            alike = alike + 1 if step.score == score else 1
            score = step.score
        if length >= max(_FEWEST_STEPS, done // 2) or alike >= _FEWEST_STEPS:
            parts, length, alike, score = parts + 1, 0, 0, None
    return parts
