"""Correlate each measure with the improvement over runs: per task, and pooled within tasks."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fmlbench.metrics.catalogue import all_measures
from fmlbench.metrics.comparison import MEASURE
from fmlbench.metrics.measure import MeasureFamily
from fmlbench.metrics.measured_run import MeasuredRun, require_comparable
from fmlbench.metrics.statistics.correlation import Correlation, Kind, Pairs, correlate, correlate_within
from fmlbench.metrics.statistics.significance import benjamini_hochberg

POOLED = "all tasks"
"""The task name for runs pooled over all tasks after subtracting each task's mean."""


@dataclass(frozen=True)
class Association:
    """The correlation of one measure with the improvement, on one task or on all."""

    measure: str
    task: str
    pearson: Correlation
    spearman: Correlation
    spearman_p_adjusted: float
    """By Benjamini and Hochberg, over all measures of the same task."""


def associate(runs: Sequence[MeasuredRun]) -> list[Association]:
    """Correlate every process measure that varies with the improvement, per task and pooled."""
    over = [run for run in runs if run.is_over]
    for measure in all_measures():
        require_comparable(over, measure.name)
    tasks = sorted({run.task for run in over})
    found: list[Association] = []
    for task in [*tasks, *([POOLED] if len(tasks) > 1 else [])]:
        found += _of_task(over, task)
    return found


def _of_task(runs: Sequence[MeasuredRun], task: str) -> list[Association]:
    rows: list[tuple[str, Correlation, Correlation]] = []
    for measure in all_measures():
        if measure.family is MeasureFamily.PERFORMANCE:
            continue
        pairs = _pairs(runs, measure.name)
        found = [
            correlate_within(pairs, kind) if task == POOLED else correlate(pairs.get(task, ()), kind)
            for kind in (Kind.PEARSON, Kind.SPEARMAN)
        ]
        if found[0] and found[1]:
            rows.append((measure.name, found[0], found[1]))
    adjusted = benjamini_hochberg([spearman.p for _, _, spearman in rows])
    return [Association(name, task, one, two, p) for (name, one, two), p in zip(rows, adjusted, strict=True)]


def _pairs(runs: Sequence[MeasuredRun], measure: str) -> dict[str, Pairs]:
    pairs: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for run in runs:
        value, reached = run.get(measure), run.get(MEASURE)
        if value is not None and reached is not None:
            pairs[run.task].append((value, reached))
    return dict(pairs)
