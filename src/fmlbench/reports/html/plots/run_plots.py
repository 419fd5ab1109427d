"""Plots of one run: scores over steps, a map of the steps' code, and stacked bars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from fmlbench.core.evaluation import Goal, Metric
from fmlbench.metrics.reliability import OutcomeClass
from fmlbench.metrics.trace import Vectors
from fmlbench.reports.html.plots.frame import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    Scale,
    cross,
    diamond,
    disc,
    linked,
    spanning,
    star,
    triangle,
)
from fmlbench.reports.html.plots.svg import element, line, picture, polyline, text

_RAIL = 26.0
"""The height of the strip below the scores that shows steps without a score."""

SHADES = 9
"""Number of colours from the worst score to the best."""

_MAP_EDGE = 34.0
_BAR_WIDTH, _BAR_HEIGHT = 640.0, 22.0


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


@dataclass(frozen=True)
class Plane:
    """Points on their first two principal components, and the share of the variance of each."""

    points: Vectors
    shares: tuple[float, float]


@dataclass(frozen=True)
class BarPart:
    """One part: name, size, formatted size, and colour class."""

    name: str
    size: float
    text: str
    class_: str


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
        WIDTH,
        HEIGHT,
        label,
        [*_background(curve, up), *frame.axes(), *_score_lines(curve, frame), *_score_marks(curve, frame)],
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


def _background(curve: ScoreCurve, up: Scale) -> list[Markup]:
    """The noise band of the baseline, and the strip of steps without a score."""
    top, bottom = HEIGHT - BOTTOM - _RAIL + 6, HEIGHT - BOTTOM
    parts = [element("rect", x=LEFT, y=top, width=WIDTH - RIGHT - LEFT, height=bottom - top, class_="rail")]
    if curve.baseline is not None and curve.sigma:
        high, low = up(curve.baseline + curve.sigma), up(curve.baseline - curve.sigma)
        parts.append(element("rect", x=LEFT, y=high, width=WIDTH - RIGHT - LEFT, height=low - high, class_="band"))
    return parts


def _score_lines(curve: ScoreCurve, frame: Frame) -> list[Markup]:
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


def _score_marks(curve: ScoreCurve, frame: Frame) -> list[Markup]:
    tests = [
        linked(step.target, step.hint, diamond(frame.across(step.index), frame.up(step.test), "mark test"))
        for step in curve.steps
        if step.test is not None and frame.up.holds(step.test)
    ]
    ordered = sorted(curve.steps, key=lambda step: step.is_winner)
    return [*tests, *(linked(step.target, step.hint, _step_mark(step, frame)) for step in ordered)]


def _step_mark(step: PlottedStep, frame: Frame) -> Markup:
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


def project(points: Vectors) -> Plane:
    """The first two principal components; the largest weight of each is positive, so that the map never flips."""
    centred = points - points.mean(axis=0)
    _, singular, directions = np.linalg.svd(centred, full_matrices=False)
    directions, singular = directions[:2], np.concatenate([singular, np.zeros(2)])
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)[:, None]
    flat = np.zeros((len(points), 2))
    flat[:, : len(directions)] = centred @ directions.T
    total = float((singular**2).sum())
    shares = singular[:2] ** 2 / total if total else np.zeros(2)
    return Plane(flat, (float(shares[0]), float(shares[1])))


def draw_map(plane: Plane, steps: Sequence[PlottedStep], metric: Metric, label: str) -> Markup:
    """Draw the map: the baseline is a square, the winner a star, a step without a score a cross."""
    across, up = _square_scales(plane.points)
    positions = [(across(float(x)), up(float(y))) for x, y in plane.points]
    shade = _shading(steps, metric)
    marks = [linked(step.target, step.hint, _map_mark(step, *positions[step.index], metric, shade)) for step in steps]
    stars = [linked(one.target, one.hint, star(*positions[one.index], "mark winner")) for one in steps if one.is_winner]
    return picture(WIDTH, HEIGHT, label, [*_axis_names(plane), polyline(positions, "line path"), *marks, *stars])


def _square_scales(points: Vectors) -> tuple[Scale, Scale]:
    """Equal units on both axes, so that distances are preserved."""
    width, height = WIDTH - 2 * _MAP_EDGE, HEIGHT - 2 * _MAP_EDGE
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    spread = np.ptp(points, axis=0)
    unit = max(float(spread[0]) / width, float(spread[1]) / height) or 1.0
    reach = np.array([width, height]) * unit / 2
    low, high = middle - reach, middle + reach
    across = Scale(float(low[0]), float(high[0]), _MAP_EDGE, WIDTH - _MAP_EDGE)
    return across, Scale(float(low[1]), float(high[1]), HEIGHT - _MAP_EDGE, _MAP_EDGE)


def _shading(steps: Sequence[PlottedStep], metric: Metric) -> Scale:
    """The scale from score to shade; the worst tenth shares one shade, so that good steps are distinguishable."""
    known = sorted(_goodness(step.score, metric) for step in steps if step.score is not None) or [0.0]
    lowest, highest = known[len(known) // 10], known[-1]
    return Scale(lowest, highest if highest > lowest else lowest + 1.0, 0, SHADES - 1)


def _goodness(score: float, metric: Metric) -> float:
    return metric.gain(score, 0.0)


def _map_mark(step: PlottedStep, x: float, y: float, metric: Metric, shade: Scale) -> Markup:
    if step.score is None:
        return cross(x, y, "mark failed")
    class_ = f"shade{round(shade(_goodness(step.score, metric)))}"
    if step.index == 0:
        return element("rect", x=x - 5.5, y=y - 5.5, width=11, height=11, class_=f"mark {class_}")
    return disc(x, y, f"mark {class_}")


def _axis_names(plane: Plane) -> list[Markup]:
    first, second = (f"{share:.0%} of the variance" for share in plane.shares)
    return [
        text(WIDTH - 8, HEIGHT - 8, f"→ {first}", "name end"),
        element("text", f"→ {second}", transform=f"rotate(-90) translate({-HEIGHT + 12:g} 16)", class_="name"),
    ]


def draw_bar(parts: Sequence[BarPart], label: str) -> Markup:
    """Draw the bar; parts of size zero are left out."""
    total = sum(part.size for part in parts) or 1.0
    drawn: list[Markup] = []
    x = 0.0
    for part in parts:
        width = part.size / total * _BAR_WIDTH
        if part.size > 0:
            hint, class_ = element("title", f"{part.name}: {part.text}"), f"mark part {part.class_}"
            drawn.append(element("rect", hint, x=x, y=0, width=max(width - 1, 1), height=_BAR_HEIGHT, class_=class_))
        x += width
    return picture(_BAR_WIDTH, _BAR_HEIGHT, label, drawn, class_="bar")
