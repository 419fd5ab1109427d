"""Histories written by hand, so that a strategy's test is one line.

history_of(0.1, 0.9, CRASH)                        a baseline, a step that is better, a crash
history_of(0.1, CRASH, debug(0.3, of=1))           the crash was fixed
history_of(0.5, draft(0.6), improve(0.7, of=1), metric=ERROR)
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fmlbench.core.evaluation import Evaluation, Goal, Metric, Outcome
from fmlbench.core.notes import Note
from fmlbench.core.steps import History, Move, Operator, Step

ACCURACY = Metric(name="accuracy", goal=Goal.MAXIMIZE, best=1.0, worst=0.0)
ERROR = Metric(name="error", goal=Goal.MINIMIZE, best=0.0, worst=1.0)

CRASH = Outcome.CRASHED
TIMEOUT = Outcome.TIMEOUT
OUT_OF_MEMORY = Outcome.OUT_OF_MEMORY
REJECTION = Outcome.REJECTED
INVALID = Outcome.INVALID
INFRA = Outcome.INFRA

Result = float | Outcome
"""How a step ended: with a score, or without one."""


@dataclass(frozen=True)
class Tried:
    """A step of a hand-written history."""

    result: Result
    move: Move


def draft(result: Result, *, of: int = 0) -> Tried:
    """A step that began something new, from the baseline or from another step."""
    return Tried(result, Move(operator=Operator.DRAFT, parents=(of,)))


def improve(result: Result, *, of: int = 0) -> Tried:
    """A step on top of another."""
    return Tried(result, Move(operator=Operator.IMPROVE, parents=(of,)))


def debug(result: Result, *, of: int) -> Tried:
    """A step that tried to fix another."""
    return Tried(result, Move(operator=Operator.DEBUG, parents=(of,)))


def combine(result: Result, *, of: tuple[int, ...]) -> Tried:
    """A step that was made of several others."""
    return Tried(result, Move(operator=Operator.COMBINE, parents=of))


def history_of(
    baseline: Result,
    *steps: Result | Tried,
    metric: Metric = ACCURACY,
    notes: Sequence[Note] = (),
    budget: int = 100,
) -> History:
    """A history; a step of which only the result is given improves the baseline."""
    first = Tried(baseline, Move(operator=Operator.BASELINE, parents=()))
    tried = [first, *(step if isinstance(step, Tried) else improve(step) for step in steps)]
    return History(metric, tuple(_step(index, each) for index, each in enumerate(tried)), tuple(notes), budget)


def _step(index: int, tried: Tried) -> Step:
    return Step(
        index=index,
        move=tried.move,
        idea=f"idea {index}",
        snapshot=f"{index:040x}",
        evaluation=evaluation_of(tried.result),
    )


def evaluation_of(result: Result) -> Evaluation:
    """The evaluation of a step that ended like this."""
    if isinstance(result, Outcome):
        return Evaluation(outcome=result, reason=f"it was to end {result}")
    return Evaluation(outcome=Outcome.OK, score=result)
