"""Scores over steps: every step, the best so far, the baseline and the reference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.evaluation import Goal, Metric
from fmlbench.metrics.reliability import OutcomeClass
from fmlbench.reports.html.plots.frame import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    cross,
    diamond,
    disc,
    linked,
    star,
    triangle,
)
from fmlbench.reports.html.plots.scales import Scale, spanning
from fmlbench.reports.html.plots.svg import element, line, picture, polyline

_RAIL = 26.0
"""The height of the strip below the scores that shows steps without a score."""


@dataclass(frozen=True)
class PlottedStep:
    """A step on the plot."""

    index: int
    target: str
    """The page anchor of the step's details."""
    hint: str
    outcome_class: OutcomeClass
    score: float | None
    test: float | None
    was_best: bool
    is_winner: bool


@dataclass(frozen=True)
class ScoreCurve:
    """A run's scores, and the calibration of its task."""

    metric: Metric
    steps: Sequence[PlottedStep]
    baseline: float | None
    sigma: float | None
    """The standard deviation of the baseline's validation score over seeds."""
    reference: float | None
    """The calibrated validation score of the expert reference."""
    budget: int


def draw_scores(curve: ScoreCurve, label: str) -> Markup:
    """Draw the plot."""
    last = max(curve.budget, len(curve.steps) - 1, 1)
    up = _visible(curve)
    better = "↑" if curve.metric.goal is Goal.MAXIMIZE else "↓"
    frame = Frame(
        across=Scale(-0.5, last + 0.5, LEFT, WIDTH - RIGHT),
        up=up,
        across_label="step",
        up_label=f"{curve.metric.name} ({better} is better)",
    )
    return picture(
        WIDTH, HEIGHT, label, [*_ground(curve, up), *frame.axes(), *_lines(curve, frame), *_marks(curve, frame)]
    )


def _visible(curve: ScoreCurve) -> Scale:
    """The visible range of scores; very bad scores are clipped to the edge, so that they do not flatten the rest."""
    known = [curve.baseline, curve.reference, *(score for step in curve.steps for score in (step.score, step.test))]
    values = [value for value in known if value is not None]
    if curve.baseline is not None:
        gains = [curve.metric.gain(value, curve.baseline) for value in values]
        floor = -1.2 * max(*gains, 4 * (curve.sigma or 0.0))
        values = [value for value, gain in zip(values, gains, strict=True) if gain >= floor or floor == 0]
        if curve.sigma:
            values += [curve.baseline - curve.sigma, curve.baseline + curve.sigma]
    return spanning(values, HEIGHT - BOTTOM - _RAIL, TOP)


def _ground(curve: ScoreCurve, up: Scale) -> list[Markup]:
    """The noise band of the baseline, and the strip of steps without a score."""
    top, bottom = HEIGHT - BOTTOM - _RAIL + 6, HEIGHT - BOTTOM
    parts = [element("rect", x=LEFT, y=top, width=WIDTH - RIGHT - LEFT, height=bottom - top, class_="rail")]
    if curve.baseline is not None and curve.sigma:
        high, low = up(curve.baseline + curve.sigma), up(curve.baseline - curve.sigma)
        parts.append(element("rect", x=LEFT, y=high, width=WIDTH - RIGHT - LEFT, height=low - high, class_="band"))
    return parts


def _lines(curve: ScoreCurve, frame: Frame) -> list[Markup]:
    parts: list[Markup] = []
    for value, class_ in ((curve.baseline, "baseline"), (curve.reference, "reference")):
        if value is not None:
            y = frame.up(value)
            parts.append(line(LEFT, y, WIDTH - RIGHT, y, f"level {class_}"))
    parts += _staircase(curve, frame, lambda step: step.test, "chosen")
    parts += _staircase(curve, frame, lambda step: step.score, "best-so-far")
    return parts


def _staircase(
    curve: ScoreCurve, frame: Frame, height: Callable[[PlottedStep], float | None], class_: str
) -> list[Markup]:
    """A step line at the value of the best step so far."""
    points: list[tuple[float, float]] = []
    for step in curve.steps:
        value = height(step)
        x = frame.across(step.index)
        if step.was_best and value is not None:
            y = frame.up(value)
            points += [(x, points[-1][1]), (x, y)] if points else [(x, y)]
        elif points:
            points.append((x, points[-1][1]))
    return [polyline(points, f"line {class_}")] if len(points) > 1 else []


def _marks(curve: ScoreCurve, frame: Frame) -> list[Markup]:
    tests = [
        linked(step.target, step.hint, diamond(frame.across(step.index), frame.up(step.test), "mark test"))
        for step in curve.steps
        if step.test is not None and frame.up.holds(step.test)
    ]
    ordered = sorted(curve.steps, key=lambda step: step.is_winner)
    return [*tests, *(linked(step.target, step.hint, _mark(step, frame)) for step in ordered)]


def _mark(step: PlottedStep, frame: Frame) -> Markup:
    x = frame.across(step.index)
    if step.score is None:
        return outcome_mark(step.outcome_class, x, HEIGHT - BOTTOM - _RAIL / 2 + 3)
    y = frame.up(step.score)
    if not frame.up.holds(step.score):
        return triangle(x, y, "mark ok", points_up=step.score > frame.up.high)
    if step.is_winner:
        return star(x, y, "mark winner")
    class_ = "mark start" if step.index == 0 else "mark ok best" if step.was_best else "mark ok"
    return disc(x, y, class_)


def outcome_mark(outcome_class: OutcomeClass, x: float, y: float) -> Markup:
    """The mark of a step without a score."""
    match outcome_class:
        case OutcomeClass.OVER_LIMIT:
            return triangle(x, y, "mark over-limit", points_up=True, size=5)
        case OutcomeClass.INVALID:
            return diamond(x, y, "mark invalid", size=5.5)
        case _:
            return cross(x, y, "mark failed")
