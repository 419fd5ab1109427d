"""Moves, proposals, steps, and the history of a run."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import Field

from fmlbench.core.evaluation import Evaluation, Goal, Metric, Outcome
from fmlbench.core.notes import Note, UsageRecorded, WaitRecorded
from fmlbench.core.record import Record
from fmlbench.core.usage import Usage


class Operator(StrEnum):
    """What kind of work a move asks for."""

    BASELINE = "baseline"
    """Step 0 of every run: the unchanged codebase. Not counted in the budget."""
    DRAFT = "draft"
    IMPROVE = "improve"
    DEBUG = "debug"
    COMBINE = "combine"


# Looked up once: access to enum members is slow, and histories are long.
_DRAFT, _DEBUG = Operator.DRAFT, Operator.DEBUG


class IdeaPlan(Record):
    """Which idea a move implements, and how many a proposer writes before the first is implemented."""

    kind: Literal["idea"] = "idea"
    number: int
    """The idea of this move, from 1."""
    run: int
    """The run of this idea, from 1; failed steps are not counted."""
    ideas: int
    reflections: int
    """Turns per idea: the first writes it, the others revise it."""


class StagePlan(Record):
    """The stage of a search and its goal; a language model sets the goals of all parts but the first."""

    kind: Literal["stage"] = "stage"
    stage: str
    part: int
    """The part of the stage, from 1."""
    goal: str


Plan = Annotated[IdeaPlan | StagePlan, Field(discriminator="kind")]
"""What a strategy plans with a move, for the proposer."""


class Move(Record):
    """A strategy's decision: which operator to apply to which steps."""

    operator: Operator
    parents: tuple[int, ...] = (0,)
    context: tuple[int, ...] = ()
    """Steps whose ideas and results the proposer sees besides the parents."""
    plan: Plan | None = None
    hint: str = ""
    """Advice for the proposer; language models read it."""
    tags: dict[str, str] = {}
    """Shown to people in trees, for example the number of a branch; no code reads them."""


@dataclass(frozen=True)
class Proposal:
    """The editable files that a proposer submits, with the idea as text."""

    move: Move
    files: Mapping[str, str]
    """All editable files after the change, by path within the repository."""
    idea: str
    usage: Usage = field(default_factory=Usage)
    rejection: str = ""
    """Why nothing can be run, for example an edit that did not apply; the step is spent anyway."""


class Step(Record):
    """One proposal and its evaluation: the unit of the budget."""

    index: int
    move: Move
    idea: str
    snapshot: str
    """The commit that holds the editable files after this step."""
    evaluation: Evaluation
    usage: Usage = Usage()
    information_bytes: int | None = None
    """How much information the proposal adds to the baseline; None if it was not measured."""

    @cached_property
    def score(self) -> float | None:
        """The validation score; None if the evaluation failed or the score is not finite.

        The value is cached because strategies read it often: never copy a step with another evaluation.
        """
        score = self.evaluation.score
        return score if self.evaluation.is_ok and score is not None and math.isfinite(score) else None

    @property
    def has_failed(self) -> bool:
        """Whether the candidate failed, as opposed to the machine."""
        return self.score is None and self.evaluation.outcome is not Outcome.INFRA


_SCORE = attrgetter("score")


def usages_of(steps: Iterable[Step], notes: Iterable[Note]) -> list[Usage]:
    """All usage of a run: of its steps, and usage that belongs to no step."""
    outside_steps = [note.usage for note in notes if isinstance(note, UsageRecorded | WaitRecorded)]
    return [*(step.usage for step in steps), *outside_steps]


@dataclass(frozen=True)
class History:
    """The steps of a run as a tree, baseline first, with the agent's notes.

    A parent always comes before its children. Results that need a pass over all steps are cached.
    """

    metric: Metric
    steps: Sequence[Step] = ()
    notes: Sequence[Note] = ()
    budget: int = 100
    """How many steps the run may take, not counting the baseline; the default is the paper's 100."""

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

    @cached_property
    def best(self) -> Step | None:
        """The first step with the best validation score, baseline included."""
        return self.best_of(self.steps)

    def best_of(self, steps: Iterable[Step]) -> Step | None:
        """The first of these steps with the best score; None if no step has a score."""
        scored = [step for step in steps if step.score is not None]
        pick = max if self.metric.goal is Goal.MAXIMIZE else min
        return pick(scored, key=_SCORE) if scored else None

    @cached_property
    def working(self) -> Sequence[Step]:
        """Proposed steps that have a score."""
        return [step for step in self.proposed if step.score is not None]

    @cached_property
    def drafts(self) -> Sequence[Step]:
        """Steps that started a new branch."""
        return [step for step in self.steps if step.move.operator is _DRAFT]

    def children_of(self, index: int) -> Sequence[Step]:
        """Steps that have this one as a parent."""
        return [step for step in self.proposed if index in step.move.parents]

    def debug_chain(self, index: int) -> Sequence[int]:
        """The step that was debugged first, and every debug step since, up to this one."""
        chain = [index]
        while self.steps[chain[-1]].move.operator is _DEBUG:
            chain.append(self.steps[chain[-1]].move.parents[0])
        return chain[::-1]

    def debug_depth(self, index: int) -> int:
        """The number of consecutive debug moves that led to this step."""
        return len(self.debug_chain(index)) - 1

    def fixable(self, depth: int, steps: Sequence[Step] | None = None) -> Sequence[Step]:
        """Failed steps without children, except those after more than ``depth`` consecutive debug moves."""
        among = self.proposed if steps is None else steps
        leaves = [step for step in among if step.score is None and step.index not in self._built_on]
        return [step for step in leaves if step.has_failed and self.debug_depth(step.index) <= depth]

    @cached_property
    def _built_on(self) -> frozenset[int]:
        return frozenset(parent for step in self.steps for parent in step.move.parents)
