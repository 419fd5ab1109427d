"""A run's steps as rows: what a tree, a table or a program wants to know of each."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fmlbench.core.evaluation import Outcome
from fmlbench.core.metric import Metric
from fmlbench.core.steps import VIOLATION, Operator, Step
from fmlbench.records.replay import RunState


@dataclass(frozen=True)
class StepRow:
    """One step; ideas and reasons are as they were written, so show them cleaned."""

    index: int
    operator: Operator
    parents: tuple[int, ...]
    tags: Mapping[str, str]
    outcome: Outcome
    score: float | None
    is_best: bool
    """Whether this is the run's best step on validation so far."""
    was_best: bool
    """Whether it was, when it finished."""
    test: float | None
    """The hidden test score; None before the agent's part of the run is over."""
    idea: str
    reason: str
    seconds: float
    """Of the proposal and its experiment."""
    violations: tuple[str, ...]
    """What the code was seen trying, and the agent on its way to this step."""
    snapshot: str
    information_bytes: int | None
    """How much information the proposal adds to the baseline, where this was measured."""


def step_rows(state: RunState, metric: Metric) -> list[StepRow]:
    """All steps, baseline first."""
    best = state.history(metric).best
    rows: list[StepRow] = []
    record: float | None = None
    tried = _tried_on_the_way(state)
    for step in state.steps:
        was_best = metric.is_better(step.score, record)
        record = step.score if was_best else record
        on_the_way = tried.get(step.index, ())
        rows.append(_row(step, state, on_the_way, is_best=step is best, was_best=was_best))
    return rows


def _row(step: Step, state: RunState, on_the_way: Sequence[str], *, is_best: bool, was_best: bool) -> StepRow:
    test = state.tests.get(step.index) if state.finished else None
    return StepRow(
        index=step.index,
        operator=step.move.operator,
        parents=step.move.parents,
        tags=step.move.tags,
        outcome=step.evaluation.outcome,
        score=step.score,
        is_best=is_best,
        was_best=was_best,
        test=test.score if test and test.is_ok else None,
        idea=step.idea,
        reason=step.evaluation.reason,
        seconds=step.usage.seconds + step.evaluation.seconds,
        violations=(*on_the_way, *step.evaluation.violations, *(test.violations if test else ())),
        snapshot=step.snapshot,
        information_bytes=step.information_bytes,
    )


def _tried_on_the_way(state: RunState) -> Mapping[int, Sequence[str]]:
    """What the agent was seen trying before each step; what comes after the last one is that one's."""
    tried: defaultdict[int, list[str]] = defaultdict(list[str])
    for note in state.notes:
        if note.kind == VIOLATION:
            tried[min(note.step, len(state.steps) - 1)].append(note.text)
    return tried
