"""Refuse to compare runs that are not comparable, and say why."""

from collections.abc import Callable, Sequence

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.catalogue import find_measure
from fmlbench.metrics.measurement import MeasuredRun

Fact = Callable[[MeasuredRun], str]


def require_comparable(runs: Sequence[MeasuredRun], measure: str) -> None:
    """Raise unless all runs have the same isolation, track, budget, retests, task versions and (if used) embedder."""
    _require_one(
        runs, lambda run: "sealed" if run.spec.isolation.is_sealed else "unsealed", _SEAL, "isolation (--unsealed)"
    )
    _require_one(runs, lambda run: f"track '{run.spec.track}'", _TRACK, "--track")
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
