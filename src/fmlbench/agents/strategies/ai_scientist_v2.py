"""The AI Scientist, second version: a best-first tree search in four stages (Yamada et al., arXiv 2504.08066).

Each stage has a separate journal and starts from the best step before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.core.steps import History, Move, Operator, StagePlan, Step

_GOALS = {
    "basic": "Get a simple version of an idea to work: it must run to completion and get a score.",
    "tuning": "Tune hyperparameters: learning rates, sizes, schedules. Do not change the method.",
    "creative": "Find something new: change the method itself, one step beyond what was tried.",
    "ablation": "Remove or vary components one at a time to find out what causes the gain; keep what helps.",
}
_FEWEST_STEPS = 3
"""Before a new goal is set: the minimum steps of a part, and the number of equal scores that end it."""


@dataclass(frozen=True)
class AIScientistV2:
    """Stages one and three grow trees in batches; stages two and four vary the step they started from."""

    basic: float = parameter(0.1, "share of the steps for a first working version", low=0, high=1)
    tuning: float = parameter(0.2, "share of the steps for tuning it", low=0, high=1)
    creative: float = parameter(0.5, "share of the steps for new ideas; the rest is for ablations", low=0, high=1)
    drafts: int = parameter(3, "number of drafts at the start of the first stage", low=1)
    batch: int = parameter(4, "number of moves decided at once, each in a different tree", low=1)
    debug_chance: float = parameter(
        0.5, "probability of fixing a failed step instead of improving the best one", low=0, high=1
    )
    debug_depth: int = parameter(3, "number of consecutive fixes after which a failed step may be fixed again", low=0)

    def __post_init__(self) -> None:
        if self.basic + self.tuning + self.creative > 1 + 1e-9:
            raise ValueError("basic plus tuning plus creative must be at most 1")

    def next_move(self, history: History, rng: Random) -> Move:
        """Return the move for the current stage."""
        stage = stage_at(history, (self.basic, self.tuning, self.creative))
        before = history.best_of(history.steps[1 : stage.first])
        plan = stage.plan(history)
        if before is not None and stage.varies_one_step:
            journal = tuple(step.index for step in history.steps[stage.first :])
            return Move(operator=Operator.IMPROVE, parents=(before.index,), context=journal, plan=plan)
        start = before.index if before else 0
        move = self._grow(history, stage, start, rng)
        return move.model_copy(update={"plan": plan})

    def _grow(self, history: History, stage: "SearchStage", start: int, rng: Random) -> Move:
        """One move of a batch: all use only what was known at its start, and each uses a different tree."""
        journal = history.steps[stage.first :]
        known = journal[: len(journal) // self.batch * self.batch]
        memory = tuple(step.index for step in known if step.score is not None)
        draft = Move(operator=Operator.DRAFT, parents=(start,), context=memory)
        drafts = self.drafts if stage.number == 1 else 1
        if sum(step.move.operator is Operator.DRAFT for step in journal) < drafts:
            return draft
        roots = _roots(journal, stage.first)
        used = {roots[step.index] for step in journal[len(known) :]}
        free = [step for step in known if roots[step.index] not in used]
        if rng.random() < self.debug_chance and (broken := history.fixable(self.debug_depth, free)):
            return Move(operator=Operator.DEBUG, parents=(rng.choice(broken).index,))
        best = history.best_of(free)
        if best is None:
            return draft
        return Move(operator=Operator.IMPROVE, parents=(best.index,), context=memory)


def _roots(journal: Sequence[Step], first: int) -> dict[int, int]:
    """The root of each step's tree: a draft, or a step whose parent is older than the journal."""
    roots: dict[int, int] = {}
    for step in journal:
        parent = step.move.parents[0]
        grew = parent >= first and step.move.operator is not Operator.DRAFT
        roots[step.index] = roots[parent] if grew else step.index
    return roots


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
