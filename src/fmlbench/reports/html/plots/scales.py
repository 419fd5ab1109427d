"""Map numbers to positions on a plot."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_FAR = 1e300


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
