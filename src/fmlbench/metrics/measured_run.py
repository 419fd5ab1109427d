"""Compute all measures of a run, and refuse to compare runs that are not comparable."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fmlbench.core.errors import BadRequest
from fmlbench.core.run import RunSpec
from fmlbench.metrics.catalogue import all_measures, find_measure
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.performance import improvement_by_retest
from fmlbench.metrics.trace import Trace


@dataclass(frozen=True)
class MeasuredRun:
    """One run's values, by the name of the measure."""

    spec: RunSpec
    task: str
    is_over: bool
    embedder: str | None
    """The embedder of the exploration values; None if the code was not embedded."""
    values: Mapping[str, Value]
    by_retest: Mapping[int, float] = field(default_factory=dict[int, float])
    """The improvement on each retest seed; runs of a task with the same seed share these samples."""

    def get(self, name: str) -> float | None:
        """A value, or None if it is missing."""
        value = self.values[name]
        return None if isinstance(value, Missing) else value


def measure_run(trace: Trace) -> MeasuredRun:
    """Compute every measure of the catalogue."""
    return MeasuredRun(
        spec=trace.spec,
        task=trace.task.name,
        is_over=trace.is_over,
        embedder=trace.cloud.embedder if trace.cloud else None,
        values={measure.name: _checked(measure.of(trace)) for measure in all_measures()},
        by_retest=improvement_by_retest(trace),
    )


def _checked(value: Value) -> Value:
    """Replace a non-finite value by Missing."""
    if isinstance(value, Missing) or math.isfinite(value):
        return value
    return Missing("the formula has no finite value here")


Fact = Callable[[MeasuredRun], str]


def require_comparable(runs: Sequence[MeasuredRun], measure: str) -> None:
    """Raise unless all runs have the same isolation, track, budget, retests, task versions and (if used) embedder."""
    _require_one(
        runs, lambda run: "sealed" if run.spec.isolation.is_sealed else "unsealed", _SEAL, "isolation (--unsealed)"
    )
    _require_one(runs, lambda run: f"track '{run.spec.track_text}'", _TRACK, "--track")
    _require_one(runs, lambda run: run.spec.budget.terms, _BUDGET, "--steps, --hours, --dollars and --tokens")
    _require_one(runs, lambda run: run.spec.retest_terms, _RETESTS, "--retest")
    for task in sorted({run.task for run in runs}):
        of_task = [run for run in runs if run.task == task]
        _require_one(of_task, lambda run: f"{run.task} {run.spec.task_digest[:12]}", _TASK, "version of the task")
    if find_measure(measure).needs_embedding:
        _require_one(runs, lambda run: f"embedder {run.embedder}", _EMBEDDER, "--embedder")


_SEAL = "Unsealed candidates could cheat, so unsealed and sealed scores are not comparable"
_TRACK = "Tracks differ in data and compute, so their scores are not comparable"
_BUDGET = "Larger budgets find more, so runs with different budgets are not comparable"
_RETESTS = "Runs retested on different numbers of seeds are not equally noisy"
_TASK = "These runs used different versions of a task"
_EMBEDDER = "Distances of different embedders have different units"


def _require_one(runs: Sequence[MeasuredRun], fact: Fact, why: str, option: str) -> None:
    found = {fact(run): run.spec.run_id for run in runs}
    if len(found) > 1:
        (first, one), (second, other) = list(found.items())[:2]
        raise BadRequest(
            f"{why}: {first} ({one}), {second} ({other}).", hint=f"Compare only runs with the same {option}."
        )
