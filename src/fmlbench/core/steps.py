"""Moves, proposals, steps, and the history they grow into."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.metric import Metric
from fmlbench.core.record import Record


class Operator(StrEnum):
    """What kind of work a move asks for."""

    BASELINE = "baseline"
    """Step 0 of every run: the codebase as it is. Not part of the budget."""
    DRAFT = "draft"
    IMPROVE = "improve"
    DEBUG = "debug"
    COMBINE = "combine"


class Move(Record):
    """What a strategy decides: which work, on top of which steps."""

    operator: Operator
    parents: tuple[int, ...] = (0,)
    context: tuple[int, ...] = ()
    """Steps whose ideas and results the proposer is shown beside the parents."""
    tags: dict[str, str] = {}


class Usage(Record):
    """What making a proposal cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input tokens that the provider had kept from an earlier call."""
    reasoning_tokens: int = 0
    """Those of the output tokens that were thought and not said."""
    dollars: float | None = 0.0
    """None where the price is not known; never a guess."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Proposal:
    """The editable files a proposer wants tried, with the idea in words."""

    move: Move
    files: Mapping[str, str]
    """All editable files after the change, by path within the repository."""
    idea: str
    usage: Usage = field(default_factory=Usage)
    rejection: str = ""
    """Why there is nothing to run (an edit that did not apply, say); the step is spent all the same."""


class Step(Record):
    """One proposal and what came of it: the unit of budget."""

    index: int
    move: Move
    idea: str
    snapshot: str
    """The commit that holds the editable files after this step."""
    evaluation: Evaluation
    usage: Usage = Usage()

    @property
    def score(self) -> float | None:
        """The validation score, if there is one; NaN is none."""
        score = self.evaluation.score
        return score if self.evaluation.is_ok and score is not None and not math.isnan(score) else None


class Note(Record):
    """Something an agent wrote down (an idea, a reflection), so that resuming never pays for it twice."""

    step: int
    kind: str
    text: str


@dataclass(frozen=True)
class History:
    """The steps of a run as a tree, baseline first, with the notes made on the way."""

    metric: Metric
    steps: Sequence[Step] = ()
    notes: Sequence[Note] = ()

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    @property
    def proposed(self) -> Sequence[Step]:
        """All steps but the baseline."""
        return self.steps[1:]

    @property
    def best(self) -> Step | None:
        """The first of the steps with the best validation score, baseline included."""
        best: Step | None = None
        for step in self.steps:
            if step.score is not None and (best is None or self.metric.is_better(step.score, best.score)):
                best = step
        return best

    @property
    def drafts(self) -> Sequence[Step]:
        """Steps that started from the baseline afresh."""
        return [step for step in self.steps if step.move.operator is Operator.DRAFT]

    def children_of(self, index: int) -> Sequence[Step]:
        """Steps that were made on top of this one."""
        return [step for step in self.proposed if index in step.move.parents]

    def debug_depth(self, index: int) -> int:
        """How many debug moves in a row led to this step."""
        depth = 0
        while self.steps[index].move.operator is Operator.DEBUG:
            depth += 1
            index = self.steps[index].move.parents[0]
        return depth
