"""A stacked bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.reports.html.plots.svg import element, picture

_WIDTH, _HEIGHT = 640.0, 22.0


@dataclass(frozen=True)
class BarPart:
    """One part: name, size, formatted size, and colour class."""

    name: str
    size: float
    text: str
    class_: str


def draw_bar(parts: Sequence[BarPart], label: str) -> Markup:
    """Draw the bar; parts of size zero are left out."""
    total = sum(part.size for part in parts) or 1.0
    drawn: list[Markup] = []
    x = 0.0
    for part in parts:
        width = part.size / total * _WIDTH
        if part.size > 0:
            hint = element("title", f"{part.name}: {part.text}")
            drawn.append(
                element(
                    "rect", hint, x=x, y=0, width=max(width - 1, 1), height=_HEIGHT, class_=f"mark part {part.class_}"
                )
            )
        x += width
    return picture(_WIDTH, _HEIGHT, label, drawn, class_="bar")
