"""Performance profiles: for every improvement, the share of an agent's runs above it."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from fmlbench.metrics.statistics.groups import Groups, pooled
from fmlbench.metrics.statistics.profiles import performance_profile
from fmlbench.reports.html.plots.frame import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Frame
from fmlbench.reports.html.plots.scales import Scale, spanning
from fmlbench.reports.html.plots.svg import element, line, picture, polyline


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
    lines = [_line(name, reached[name], groups, frame, colours[name]) for name, groups in agents.items()]
    return picture(WIDTH, HEIGHT, label, [*frame.axes(), baseline, *lines])


def _line(name: str, values: Sequence[float], groups: Groups, frame: Frame, colour: str) -> Markup:
    """A step function: 100% on the left, and a step down at the value of each run."""
    height = frame.up(100.0)
    points = [(LEFT, height)]
    for value, share in zip(values, performance_profile(groups, values), strict=True):
        x, y = frame.across(100 * value), frame.up(100 * share)
        points += [(x, height), (x, y)]
        height = y
    points.append((WIDTH - RIGHT, height))
    return element("g", element("title", name), polyline(points, f"mark run {colour}"))
