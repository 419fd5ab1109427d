"""Plots of several runs: progress by step, performance profiles, and means with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.metrics.statistics.groups import Groups, performance_profile, pooled
from fmlbench.metrics.statistics.intervals import Interval
from fmlbench.reports.html.plots.frame import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Frame, Scale, spanning
from fmlbench.reports.html.plots.svg import element, line, picture, polyline

AGENT_COLOURS = 6
"""Further agents reuse the colours with dashed lines."""

_STRIP_WIDTH, _STRIP_HEIGHT, _STRIP_EDGE = 260.0, 26.0, 8.0
_STRIP_ROOM = 0.25
"""How far thin lines may extend the scale on either side, as a share of the range of the thick lines."""


@dataclass(frozen=True)
class ProgressLine:
    """One run in the plot."""

    target: str
    hint: str
    class_: str
    gains: Sequence[float]
    """After each proposed step."""


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


def draw_progress(runners: Sequence[ProgressLine], label: str) -> Markup:
    """Draw the plot; every line starts at zero, the baseline."""
    last = max((len(runner.gains) for runner in runners), default=1)
    gains = [100 * gain for runner in runners for gain in runner.gains]
    frame = Frame(
        across=Scale(0, max(last, 1), LEFT, WIDTH - RIGHT),
        up=spanning([0.0, *gains], HEIGHT - BOTTOM, TOP),
        across_label="step",
        up_label="validation gain, % of range",
    )
    zero = frame.up(0.0)
    return picture(
        WIDTH,
        HEIGHT,
        label,
        [
            *frame.axes(),
            line(LEFT, zero, WIDTH - RIGHT, zero, "level baseline"),
            *(_progress_line(one, frame) for one in runners),
        ],
    )


def agent_class(place: int) -> str:
    """The CSS classes (colour and dashes) of the agent with this number."""
    dashes = " dashed" if place // AGENT_COLOURS % 2 else ""
    return f"agent{place % AGENT_COLOURS}{dashes}"


def _progress_line(runner: ProgressLine, frame: Frame) -> Markup:
    points = [(frame.across(0), frame.up(0.0))]
    for step, gain in enumerate(runner.gains, start=1):
        x, y = frame.across(step), frame.up(100 * gain)
        points += [(x, points[-1][1]), (x, y)]
    hint = element("title", runner.hint)
    return element("a", hint, polyline(points, f"mark run {runner.class_}"), href=f"#{runner.target}", tabindex="-1")


def draw_profiles(agents: Mapping[str, Groups], colours: Mapping[str, str], label: str) -> Markup:
    """Draw the plot with a falling line per agent; an agent whose line is above another everywhere dominates it."""
    reached = {name: sorted(set(pooled(groups).tolist())) for name, groups in agents.items()}
    frame = Frame(
        across=spanning([0.0, *(100 * value for row in reached.values() for value in row)], LEFT, WIDTH - RIGHT),
        up=Scale(0, 100, HEIGHT - BOTTOM, TOP),
        across_label="improvement, % of the way to a perfect score",
        up_label="runs beyond it, %",
        is_counted=False,
    )
    zero = frame.across(0.0)
    baseline = line(zero, TOP, zero, HEIGHT - BOTTOM, "level baseline")
    lines = [_profile_line(name, reached[name], groups, frame, colours[name]) for name, groups in agents.items()]
    return picture(WIDTH, HEIGHT, label, [*frame.axes(), baseline, *lines])


def _profile_line(name: str, values: Sequence[float], groups: Groups, frame: Frame, colour: str) -> Markup:
    """A step function: 100% on the left, and a step down at the value of each run."""
    height = frame.up(100.0)
    points = [(LEFT, height)]
    for value, share in zip(values, performance_profile(groups, values), strict=True):
        x, y = frame.across(100 * value), frame.up(100 * share)
        points += [(x, height), (x, y)]
        height = y
    points.append((WIDTH - RIGHT, height))
    return element("g", element("title", name), polyline(points, f"mark run {colour}"))


def draw_interval_bars(strips: Sequence[IntervalBar]) -> list[Markup]:
    """One drawing per row, all on the same scale; a line marks zero.

    With few tasks the outer intervals are very wide, so they are clipped at the edge instead of shrinking the rest.
    """
    inner = [0.0, *(value for strip in strips for value in (strip.mean, *_edges(strip.inner)))]
    low, high = min(inner), max(inner)
    room = (high - low) * _STRIP_ROOM
    outer = [min(max(edge, low - room), high + room) for strip in strips for edge in _edges(strip.outer)]
    scale = spanning([*inner, *outer], _STRIP_EDGE, _STRIP_WIDTH - _STRIP_EDGE)
    return [_draw_strip(strip, scale) for strip in strips]


def _edges(interval: Interval | None) -> tuple[float, ...]:
    return (interval.low, interval.high) if interval else ()


def _draw_strip(strip: IntervalBar, scale: Scale) -> Markup:
    middle, zero = _STRIP_HEIGHT / 2, scale(0.0)
    parts = [line(zero, 0, zero, _STRIP_HEIGHT, "zero")]
    for interval, class_ in ((strip.outer, "outer"), (strip.inner, "inner")):
        if interval:
            parts.append(line(scale(interval.low), middle, scale(interval.high), middle, f"{class_} {strip.class_}"))
    parts.append(element("circle", cx=scale(strip.mean), cy=middle, r=5, class_=f"mark mean {strip.class_}"))
    return picture(_STRIP_WIDTH, _STRIP_HEIGHT, strip.label, parts, class_="strip")
