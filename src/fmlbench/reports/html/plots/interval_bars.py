"""A mean with its intervals, drawn in a table row."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.metrics.statistics.bootstrap import Interval
from fmlbench.reports.html.plots.scales import Scale, spanning
from fmlbench.reports.html.plots.svg import element, line, picture

_WIDTH, _HEIGHT, _EDGE = 260.0, 26.0, 8.0
_ROOM = 0.25
"""How far thin lines may extend the scale on either side, as a share of the range of the thick lines."""


@dataclass(frozen=True)
class IntervalBar:
    """The values drawn in one row."""

    mean: float
    inner: Interval | None
    """Drawn as a thick line."""
    outer: Interval | None
    """Drawn as a thin line."""
    label: str
    class_: str


def draw_interval_bars(strips: Sequence[IntervalBar]) -> list[Markup]:
    """One drawing per row, all on the same scale; a line marks zero.

    With few tasks the outer intervals are very wide, so they are clipped at the edge instead of shrinking the rest.
    """
    inner = [0.0, *(value for strip in strips for value in (strip.mean, *_edges(strip.inner)))]
    low, high = min(inner), max(inner)
    room = (high - low) * _ROOM
    outer = [min(max(edge, low - room), high + room) for strip in strips for edge in _edges(strip.outer)]
    scale = spanning([*inner, *outer], _EDGE, _WIDTH - _EDGE)
    return [_draw(strip, scale) for strip in strips]


def _edges(interval: Interval | None) -> tuple[float, ...]:
    return (interval.low, interval.high) if interval else ()


def _draw(strip: IntervalBar, scale: Scale) -> Markup:
    middle, zero = _HEIGHT / 2, scale(0.0)
    parts = [line(zero, 0, zero, _HEIGHT, "zero")]
    for interval, class_ in ((strip.outer, "outer"), (strip.inner, "inner")):
        if interval:
            parts.append(line(scale(interval.low), middle, scale(interval.high), middle, f"{class_} {strip.class_}"))
    parts.append(element("circle", cx=scale(strip.mean), cy=middle, r=5, class_=f"mark mean {strip.class_}"))
    return picture(_WIDTH, _HEIGHT, strip.label, parts, class_="strip")
