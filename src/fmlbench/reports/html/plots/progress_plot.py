"""All runs of a task in one plot: the best validation gain so far by step, coloured by agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.reports.html.plots.frame import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Frame
from fmlbench.reports.html.plots.scales import Scale, spanning
from fmlbench.reports.html.plots.svg import element, line, picture, polyline

AGENT_COLOURS = 6
"""Further agents reuse the colours with dashed lines."""


@dataclass(frozen=True)
class ProgressLine:
    """One run in the plot."""

    target: str
    hint: str
    class_: str
    gains: Sequence[float]
    """After each proposed step."""


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
            *(_line(one, frame) for one in runners),
        ],
    )


def agent_class(place: int) -> str:
    """The CSS classes (colour and dashes) of the agent with this number."""
    dashes = " dashed" if place // AGENT_COLOURS % 2 else ""
    return f"agent{place % AGENT_COLOURS}{dashes}"


def _line(runner: ProgressLine, frame: Frame) -> Markup:
    points = [(frame.across(0), frame.up(0.0))]
    for step, gain in enumerate(runner.gains, start=1):
        x, y = frame.across(step), frame.up(100 * gain)
        points += [(x, points[-1][1]), (x, y)]
    hint = element("title", runner.hint)
    return element("a", hint, polyline(points, f"mark run {runner.class_}"), href=f"#{runner.target}", tabindex="-1")
