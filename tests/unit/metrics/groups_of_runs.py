"""Measured runs made up for comparisons: the values are given, everything else is the same."""

from collections.abc import Mapping, Sequence

from fmlbench.core.run import Isolation, RunSpec
from fmlbench.metrics.catalogue import MEASURES
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.measured_run import MeasuredRun
from tests.handwritten_runs import spec_of


def run(value: Value, *, task: str = "toy", seed: int = 0, embedder: str | None = "e", **facts: object) -> MeasuredRun:
    """A finished run whose measures all have this value; facts change its specification."""
    spec = spec_of().model_copy(update={"task": task, "seed": seed, **facts})
    return MeasuredRun(
        spec, task, is_over=True, embedder=embedder, values=dict.fromkeys((measure.name for measure in MEASURES), value)
    )


def runs(values: Mapping[str, Sequence[Value]]) -> list[MeasuredRun]:
    """Runs by task; their seeds count from zero."""
    return [run(value, task=task, seed=seed) for task, row in values.items() for seed, value in enumerate(row)]


UNSEALED: dict[str, Isolation] = {"isolation": Isolation.NONE}

__all__ = ["UNSEALED", "Missing", "RunSpec", "run", "runs"]
