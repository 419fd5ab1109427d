"""A run's steps as rows for trees, tables and JSON."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fmlbench.core.evaluation import Metric, Outcome
from fmlbench.core.notes import ViolationSeen
from fmlbench.core.steps import IdeaPlan, Move, Operator, Plan, StagePlan, Step
from fmlbench.records.replay import RunState


@dataclass(frozen=True)
class StepRow:
    """One step. Idea and reason are untrusted text: clean them before showing."""

    index: int
    operator: Operator
    parents: tuple[int, ...]
    tags: Mapping[str, str]
    """The plan, the hint and the tags of the move."""
    outcome: Outcome
    score: float | None
    is_best: bool
    """Whether this is the run's best step on validation so far."""
    was_best: bool
    """Whether it was the best when it finished."""
    test: float | None
    """The hidden test score; None until the search is finished."""
    idea: str
    reason: str
    seconds: float
    """Of the proposal and its experiment."""
    violations: tuple[str, ...]
    """Violations of the code, and of the agent before this step."""
    snapshot: str
    information_bytes: int | None
    """Information that the proposal adds to the baseline, if measured."""


def step_rows(state: RunState, metric: Metric) -> list[StepRow]:
    """All steps, baseline first."""
    best = state.history(metric).best
    rows: list[StepRow] = []
    record: float | None = None
    violations = _violations_before(state)
    for step in state.steps:
        was_best = metric.is_better(step.score, record)
        record = step.score if was_best else record
        before = violations.get(step.index, ())
        rows.append(_row(step, state, before, is_best=step is best, was_best=was_best))
    return rows


def _row(step: Step, state: RunState, before: Sequence[str], *, is_best: bool, was_best: bool) -> StepRow:
    test = state.tests.get(step.index) if state.finished else None
    return StepRow(
        index=step.index,
        operator=step.move.operator,
        parents=step.move.parents,
        tags=_tags_of(step.move),
        outcome=step.evaluation.outcome,
        score=step.score,
        is_best=is_best,
        was_best=was_best,
        test=test.score if test and test.is_ok else None,
        idea=step.idea,
        reason=step.evaluation.reason,
        seconds=step.usage.seconds + step.evaluation.seconds,
        violations=(*before, *step.evaluation.violations, *(test.violations if test else ())),
        snapshot=step.snapshot,
        information_bytes=step.information_bytes,
    )


def _tags_of(move: Move) -> dict[str, str]:
    hint = {"hint": move.hint} if move.hint else {}
    return {**_plan_tags(move.plan), **hint, **move.tags}


def _plan_tags(plan: Plan | None) -> dict[str, str]:
    """The plan of a move in words."""
    match plan:
        case IdeaPlan():
            return {"idea": str(plan.number), "run": str(plan.run)}
        case StagePlan():
            return {"stage": plan.stage, "part": str(plan.part), "goal": plan.goal}
        case None:
            return {}


def _violations_before(state: RunState) -> Mapping[int, Sequence[str]]:
    """The agent's violations before each step; those after the last step are assigned to it."""
    violations: defaultdict[int, list[str]] = defaultdict(list[str])
    for note in state.notes:
        if isinstance(note, ViolationSeen):
            violations[min(note.step, len(state.steps) - 1)].append(note.text)
    return violations
