"""The frame of a plot: its scales, its axes, and the shapes of marks."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.reports.html.plots.svg import element, line, number, text

_FAR = 1e300
WIDTH, HEIGHT = 640.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 84.0, 14.0, 14.0, 62.0
"""Wide enough for the larger font on phones."""


@dataclass(frozen=True)
class Scale:
    """A linear scale from ``low..high`` to ``start..end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The position of a value; values outside the scale are clipped to its edge."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Whether a value is on the scale."""
        return self.low <= value <= self.high

    def ticks(self, wanted: int) -> list[float]:
        """About ``wanted`` round numbers on the scale."""
        step = _round_step((self.high - self.low) / wanted)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]


@dataclass(frozen=True)
class Frame:
    """Two scales with their labels."""

    across: Scale
    up: Scale
    across_label: str
    up_label: str
    is_counted: bool = True
    """Whether the horizontal axis has only whole numbers."""

    def axes(self) -> list[Markup]:
        """Grid lines, tick labels and axis names."""
        return [*self._rows(), *self._columns(), *self._names()]

    def _rows(self) -> list[Markup]:
        ticks = self.up.ticks(5)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        parts: list[Markup] = []
        for tick in ticks:
            y = self.up(tick)
            parts += [line(LEFT, y, WIDTH - RIGHT, y, "grid"), text(LEFT - 8, y, tick_text(tick, step), "tick up")]
        return parts

    def _columns(self) -> list[Markup]:
        ticks = self.across.ticks(8)
        step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        shown = ticks
        if self.is_counted:
            shown, step = [tick for tick in ticks if tick == round(tick)], max(step, 1.0)
        return [text(self.across(tick), HEIGHT - BOTTOM + 22, tick_text(tick, step), "tick across") for tick in shown]

    def _names(self) -> list[Markup]:
        middle = (LEFT + WIDTH - RIGHT) / 2
        place = f"rotate(-90) translate({number(-(TOP + HEIGHT - BOTTOM) / 2)} 18)"
        return [
            text(middle, HEIGHT - 10, self.across_label, "name across"),
            element("text", self.up_label, transform=place, class_="name across"),
        ]


def spanning(values: Iterable[float], start: float, end: float, *, margin: float = 0.06) -> Scale:
    """A scale that contains all values with a margin; huge values are clipped."""
    known = [min(max(value, -_FAR), _FAR) for value in values] or [0.0]
    low, high = min(known), max(known)
    room = (high - low) * margin or abs(high) * 0.05 or 1.0
    return Scale(low - room, high + room, start, end)


def tick_text(value: float, step: float) -> str:
    """A tick with as many decimals as its step needs."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}" if decimals <= 6 and abs(value) < 1e6 else f"{value:.3g}"


def _round_step(step: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(step))
    return next(round_ * magnitude for round_ in (1, 2, 5, 10) if step <= round_ * magnitude * 1.3)


def linked(target: str, hint: str, shape: Markup) -> Markup:
    """A mark that links to a step. It is not a tab stop, because the list of steps has the same links."""
    return element("a", element("title", hint), shape, href=f"#{target}", tabindex="-1")


def disc(x: float, y: float, class_: str) -> Markup:
    """A round mark."""
    return element("circle", cx=x, cy=y, r=4.5, class_=class_)


def diamond(x: float, y: float, class_: str, size: float = 5.0) -> Markup:
    """A diamond."""
    return _shape([(x, y - size), (x + size, y), (x, y + size), (x - size, y)], class_)


def triangle(x: float, y: float, class_: str, *, points_up: bool, size: float = 5.5) -> Markup:
    """A triangle that points to a value outside the plot."""
    tip = -size if points_up else size
    return _shape([(x, y + tip), (x + size, y - tip), (x - size, y - tip)], class_)


def cross(x: float, y: float, class_: str, size: float = 4.5) -> Markup:
    """A cross, for steps without a score."""
    strokes = (
        f"M{number(x - size)} {number(y - size)}l{2 * size:g} {2 * size:g}m0 {-2 * size:g}l{-2 * size:g} {2 * size:g}"
    )
    return element("path", d=strokes, class_=class_)


def star(x: float, y: float, class_: str, size: float = 9.0) -> Markup:
    """A star, for the winner."""
    radii = [size, size * 0.42] * 5
    corners = [
        (x + radius * math.sin(math.pi * turn / 5), y - radius * math.cos(math.pi * turn / 5))
        for turn, radius in enumerate(radii)
    ]
    return _shape(corners, class_)


def _shape(corners: list[tuple[float, float]], class_: str) -> Markup:
    return element("path", d="M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z", class_=class_)
