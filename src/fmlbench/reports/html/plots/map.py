"""The exploration map: the steps' code as points in a plane, connected in order and coloured by score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from fmlbench.core.evaluation import Metric
from fmlbench.metrics.trace import Vectors
from fmlbench.reports.html.plots.frame import HEIGHT, WIDTH, cross, disc, linked, star
from fmlbench.reports.html.plots.scales import Scale
from fmlbench.reports.html.plots.scores import PlottedStep
from fmlbench.reports.html.plots.svg import element, picture, polyline, text

SHADES = 9
"""Number of colours from the worst score to the best."""
_EDGE = 34.0


@dataclass(frozen=True)
class Plane:
    """Points on their first two principal components, and the share of the variance of each."""

    points: Vectors
    shares: tuple[float, float]


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
    marks = [linked(step.target, step.hint, _mark(step, *positions[step.index], metric, shade)) for step in steps]
    stars = [linked(one.target, one.hint, star(*positions[one.index], "mark winner")) for one in steps if one.is_winner]
    return picture(WIDTH, HEIGHT, label, [*_names(plane), polyline(positions, "line path"), *marks, *stars])


def _square_scales(points: Vectors) -> tuple[Scale, Scale]:
    """Equal units on both axes, so that distances are preserved."""
    width, height = WIDTH - 2 * _EDGE, HEIGHT - 2 * _EDGE
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    spread = np.ptp(points, axis=0)
    unit = max(float(spread[0]) / width, float(spread[1]) / height) or 1.0
    reach = np.array([width, height]) * unit / 2
    low, high = middle - reach, middle + reach
    across = Scale(float(low[0]), float(high[0]), _EDGE, WIDTH - _EDGE)
    return across, Scale(float(low[1]), float(high[1]), HEIGHT - _EDGE, _EDGE)


def _shading(steps: Sequence[PlottedStep], metric: Metric) -> Scale:
    """The scale from score to shade; the worst tenth shares one shade, so that good steps are distinguishable."""
    known = sorted(_goodness(step.score, metric) for step in steps if step.score is not None) or [0.0]
    lowest, highest = known[len(known) // 10], known[-1]
    return Scale(lowest, highest if highest > lowest else lowest + 1.0, 0, SHADES - 1)


def _goodness(score: float, metric: Metric) -> float:
    return metric.gain(score, 0.0)


def _mark(step: PlottedStep, x: float, y: float, metric: Metric, shade: Scale) -> Markup:
    if step.score is None:
        return cross(x, y, "mark failed")
    class_ = f"shade{round(shade(_goodness(step.score, metric)))}"
    if step.index == 0:
        return element("rect", x=x - 5.5, y=y - 5.5, width=11, height=11, class_=f"mark {class_}")
    return disc(x, y, f"mark {class_}")


def _names(plane: Plane) -> list[Markup]:
    first, second = (f"{share:.0%} of the variance" for share in plane.shares)
    return [
        text(WIDTH - 8, HEIGHT - 8, f"→ {first}", "name end"),
        element("text", f"→ {second}", transform=f"rotate(-90) translate({-HEIGHT + 12:g} 16)", class_="name"),
    ]
