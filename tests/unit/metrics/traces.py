"""Traces written by hand, on a scale for mental arithmetic: baseline 0.5, useless 0, perfect 1."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fmlbench.core.evaluation import Evaluation, Goal, Metric, Outcome
from fmlbench.core.run import RetestKey, RetestKind
from fmlbench.core.steps import Move, Operator, Step
from fmlbench.core.task import Task
from fmlbench.core.usage import Usage
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.trace import Cloud, Trace
from tests.handwritten_runs import spec_of, toy

UP = Metric(name="accuracy", goal=Goal.MAXIMIZE, best=1.0, worst=0.0)
DOWN = Metric(name="error", goal=Goal.MINIMIZE, best=0.0, worst=1.0)

Result = float | Outcome


def trace(
    *results: Result,
    baseline: float = 0.5,
    metric: Metric = UP,
    tests: Sequence[float | None] = (),
    retests: tuple[Sequence[Result], Sequence[Result]] | None = None,
    budget: int = 0,
    sd: float | None = None,
    points: Sequence[Sequence[float]] = (),
    near: float = 0.015,
    over: bool = True,
    wall: float | None = None,
) -> Trace:
    """A run with these validation results; tests and points start with the baseline, retests are winner, baseline."""
    steps = [_step(index, result) for index, result in enumerate((baseline, *results))]
    made = Trace(
        spec=spec_of(steps=budget or len(results), retests=len(retests[0]) if retests else 0),
        task=_task(metric, sd),
        steps=steps,
        tests={index: evaluation_of(score) for index, score in enumerate(tests) if score is not None},
        is_over=over,
        wall_seconds=wall,
        cloud=Cloud("points-0", near, np.array(points, dtype=np.float64)) if points else None,
    )
    return with_retests(made, *retests) if retests else made


def with_retests(
    made: Trace, winner: Sequence[Result], baseline: Sequence[Result], kind: RetestKind = RetestKind.FRESH
) -> Trace:
    assert made.winner is not None
    both = {made.winner.index: winner, 0: baseline}
    retests = {
        RetestKey(kind, index, seed): evaluation_of(result)
        for index, row in both.items()
        for seed, result in enumerate(row)
    }
    return replace(made, retests={**made.retests, **retests})


def evaluation_of(result: Result) -> Evaluation:
    if isinstance(result, Outcome):
        return Evaluation(outcome=result, seconds=2.0)
    return Evaluation(outcome=Outcome.OK, score=result, seconds=2.0)


def number(value: Value) -> float:
    assert not isinstance(value, Missing), value
    return value


def _step(index: int, result: Result) -> Step:
    move = Move(operator=Operator.IMPROVE if index else Operator.BASELINE, parents=(0,) if index else ())
    usage = Usage(input_tokens=200, output_tokens=50, dollars=0.25, seconds=1.0) if index else Usage()
    return Step(
        index=index, move=move, idea="an idea", snapshot="a" * 40, evaluation=evaluation_of(result), usage=usage
    )


def _task(metric: Metric, sd: float | None) -> Task:
    return toy(test_sd=sd).model_copy(update={"metric": metric})


NAN = math.nan
CRASH = Outcome.CRASHED
