"""Compute all measures of a run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from fmlbench.core.run import RunSpec
from fmlbench.metrics.catalogue import MEASURES
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
        values={measure.name: _checked(measure.of(trace)) for measure in MEASURES},
        by_retest=improvement_by_retest(trace),
    )


def _checked(value: Value) -> Value:
    """Replace a non-finite value by Missing."""
    if isinstance(value, Missing) or math.isfinite(value):
        return value
    return Missing("the formula has no finite value here")
