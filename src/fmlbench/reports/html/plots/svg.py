"""SVG elements as escaped text."""

from collections.abc import Iterable

from markupsafe import Markup, escape

Attribute = str | float | None


def element(name: str, *children: Markup | str, **attributes: Attribute) -> Markup:
    """An element with escaped text. ``class_`` becomes class, other underscores hyphens; None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not children:
        return Markup(f"<{name}{written}/>")  # noqa: S704 - every part was escaped
    return Markup(f"<{name}{written}>{''.join(map(escape, children))}</{name}>")  # noqa: S704 - the same


def picture(width: float, height: float, label: str, parts: Iterable[Markup], *, class_: str = "plot") -> Markup:
    """A scalable drawing with a label for screen readers."""
    box = f"0 0 {number(width)} {number(height)}"
    return element("svg", *parts, class_=class_, viewBox=box, role="img", aria_label=label)


def text(x: float, y: float, words: str, class_: str) -> Markup:
    """Text at a position; the class sets its alignment."""
    return element("text", words, x=x, y=y, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def polyline(points: Iterable[tuple[float, float]], class_: str) -> Markup:
    """A line through points."""
    return element("polyline", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), class_=class_)


def number(value: float) -> str:
    """A coordinate, rounded to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def _value(value: str | float) -> str:
    return str(escape(value)) if isinstance(value, str) else number(value)
