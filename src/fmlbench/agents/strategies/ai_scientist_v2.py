"""The AI Scientist, second version: a best-first tree search in four stages (Yamada et al., arXiv 2504.08066).

Each stage has a separate journal and starts from the best step before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.agents.strategies.stages import SearchStage, stage_at
from fmlbench.core.steps import History, Move, Operator, Step


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

    def _grow(self, history: History, stage: SearchStage, start: int, rng: Random) -> Move:
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
