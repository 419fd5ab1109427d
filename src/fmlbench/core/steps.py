"""Moves, proposals, steps, and the history they grow into."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from operator import attrgetter

from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.metric import Goal, Metric
from fmlbench.core.record import Record


class Operator(StrEnum):
    """What kind of work a move asks for."""

    BASELINE = "baseline"
    """Step 0 of every run: the codebase as it is. Not part of the budget."""
    DRAFT = "draft"
    IMPROVE = "improve"
    DEBUG = "debug"
    COMBINE = "combine"


# Looked up once: members of an enumeration are slow to get at, and histories are long.
_DRAFT, _DEBUG = Operator.DRAFT, Operator.DEBUG


class IdeaPlan(Record):
    """How many ideas a proposer writes before the first is implemented."""

    ideas: int
    reflections: int
    """Turns per idea: the first writes it, the others revise it."""


class Move(Record):
    """What a strategy decides: which work, on top of which steps."""

    operator: Operator
    parents: tuple[int, ...] = (0,)
    context: tuple[int, ...] = ()
    """Steps whose ideas and results the proposer is shown beside the parents."""
    tags: dict[str, str] = {}
    """What else the strategy has in mind: the goal of a stage, the number of an idea. One word is shown in trees."""
    plan: IdeaPlan | None = None
    """Set on moves that start an idea."""


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
    cpu_seconds: float = 0.0
    """Of the agent's own program, where it is one; known when the program has ended."""


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
    information_bytes: int | None = None
    """How much information the proposal adds to the baseline; None where this was not measured."""

    @cached_property
    def score(self) -> float | None:
        """The validation score, if there is one; what is not a finite number is none.

        Strategies ask for it again and again, so it is kept: never copy a step with another evaluation.
        """
        score = self.evaluation.score
        return score if self.evaluation.is_ok and score is not None and math.isfinite(score) else None

    @property
    def has_failed(self) -> bool:
        """Whether the candidate itself went wrong, not the machine it ran on."""
        return self.score is None and self.evaluation.outcome is not Outcome.INFRA


_SCORE = attrgetter("score")

INVITATION = "invitation"
"""The kind of note that is addressed to the person before the screen."""
ENDING = "ending"
"""The kind of note that says how an agent ended that has a loop of its own."""
SPENT = "spent"
"""The kind of note that says what was spent on no step, such as a program's last words: a Usage."""
WAITED = "waited"
"""The kind of note that says what was spent while a model never answered: a Usage, but not of the run's hours."""
VIOLATION = "violation"
"""The kind of note that says what an agent was seen trying that no honest one does."""


class Note(Record):
    """Something an agent wrote down (an idea, a reflection), so that resuming never pays for it twice."""

    step: int
    kind: str
    text: str


def usages_of(steps: Iterable[Step], notes: Iterable[Note]) -> list[Usage]:
    """All that a run has spent: on each of its steps, and on none of them."""
    besides = [Usage.model_validate_json(note.text) for note in notes if note.kind in {SPENT, WAITED}]
    return [*(step.usage for step in steps), *besides]


@dataclass(frozen=True)
class History:
    """The steps of a run as a tree, baseline first, with the notes made on the way.

    A parent always comes before its children. What takes a look at every step is worked out once.
    """

    metric: Metric
    steps: Sequence[Step] = ()
    notes: Sequence[Note] = ()
    budget: int = 100
    """How many steps the run may take, the baseline not counted; the paper's hundred where nobody says."""

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
        """The first of the steps with the best validation score, baseline included."""
        return self.best_of(self.steps)

    def best_of(self, steps: Iterable[Step]) -> Step | None:
        """The first of some steps with the best score; None where none has a score."""
        scored = [step for step in steps if step.score is not None]
        pick = max if self.metric.goal is Goal.MAXIMIZE else min
        return pick(scored, key=_SCORE) if scored else None

    @cached_property
    def working(self) -> Sequence[Step]:
        """Proposed steps that have a score."""
        return [step for step in self.proposed if step.score is not None]

    @cached_property
    def drafts(self) -> Sequence[Step]:
        """Steps that began something new."""
        return [step for step in self.steps if step.move.operator is _DRAFT]

    def children_of(self, index: int) -> Sequence[Step]:
        """Steps that were made on top of this one."""
        return [step for step in self.proposed if index in step.move.parents]

    def debug_chain(self, index: int) -> Sequence[int]:
        """The step that was to be mended, and every debug move since, up to this one."""
        chain = [index]
        while self.steps[chain[-1]].move.operator is _DEBUG:
            chain.append(self.steps[chain[-1]].move.parents[0])
        return chain[::-1]

    def debug_depth(self, index: int) -> int:
        """How many debug moves in a row led to this step."""
        return len(self.debug_chain(index)) - 1

    def fixable(self, depth: int, steps: Sequence[Step] | None = None) -> Sequence[Step]:
        """Failed steps that nobody built on, unless more than ``depth`` debug moves in a row led to them."""
        among = self.proposed if steps is None else steps
        leaves = [step for step in among if step.score is None and step.index not in self._built_on]
        return [step for step in leaves if step.has_failed and self.debug_depth(step.index) <= depth]

    @cached_property
    def _built_on(self) -> frozenset[int]:
        return frozenset(parent for step in self.steps for parent in step.move.parents)
