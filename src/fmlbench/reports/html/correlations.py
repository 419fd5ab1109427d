"""Correlations of process measures with the improvement, a column per task."""

from collections.abc import Sequence
from dataclasses import dataclass

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.associations import Association, associate
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.metrics.statistics.permutation import ALPHA

_SHADES = 4
"""Number of colours on either side of zero."""


@dataclass(frozen=True)
class CorrelationCell:
    """A correlation with its interval, n and p."""

    r: str
    shade: str
    """Its colour class."""
    is_significant: bool
    """Whether it is significant after correction."""
    remark: str


@dataclass(frozen=True)
class CorrelationTable:
    """Correlations of measures with the improvement."""

    tasks: Sequence[str]
    rows: Sequence[tuple[str, Sequence[CorrelationCell | None]]]
    embedder: str


def correlation_table(runs: Sequence[MeasuredRun]) -> CorrelationTable | None:
    """The table; None if there are too few runs or they are not comparable."""
    try:
        found = associate(runs)
    except BadRequest:
        return None
    if not found:
        return None
    tasks = list(dict.fromkeys(one.task for one in found))
    cells = {(one.measure, one.task): _cell(one) for one in found}
    measures = dict.fromkeys(one.measure for one in found)
    embedders = {run.embedder for run in runs if run.embedder}
    return CorrelationTable(
        tasks=tasks,
        rows=[(measure, [cells.get((measure, task)) for task in tasks]) for measure in measures],
        embedder=", ".join(sorted(embedders)),
    )


def _cell(one: Association) -> CorrelationCell:
    found = one.spearman
    interval = f"[{found.interval.low:+.2f}, {found.interval.high:+.2f}], " if found.interval else ""
    strength = min(int(abs(found.r) * _SHADES) + 1, _SHADES)
    return CorrelationCell(
        r=f"{found.r:+.2f}",
        shade=f"{'positive' if found.r > 0 else 'negative'}{strength}",
        is_significant=one.spearman_p_adjusted < ALPHA,
        remark=f"{interval}n = {found.n}, p = {found.p:.2g}, corrected {one.spearman_p_adjusted:.2g}",
    )
