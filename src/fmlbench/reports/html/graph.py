"""The search tree as a graph beside the list of steps: a row per step, a lane per branch.

The last child of a step continues in its parent's lane. Other children get a new lane, which is reused after their
branch ends. So a search that keeps improving one program is a straight line with short branches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.reports.html.plots.svg import element, number

ROW = 34.0
_LANE = 14.0
_WIDEST = 112.0


@dataclass(frozen=True)
class Lanes:
    """The lane of each step, by index."""

    of: Sequence[int]
    parents: Sequence[int | None]

    @property
    def count(self) -> int:
        """The number of lanes."""
        return max(self.of, default=0) + 1


def lay_lanes(parents: Sequence[int | None]) -> Lanes:
    """Assign a lane to every step, given its first parent."""
    last_child: dict[int, int] = {parent: child for child, parent in enumerate(parents) if parent is not None}
    busy_until: list[int] = []
    lanes: list[int] = []
    for step, parent in enumerate(parents):
        if parent is not None and last_child[parent] == step:
            lanes.append(lanes[parent])
            continue
        lane = next((lane for lane, end in enumerate(busy_until) if end < step), len(busy_until))
        if lane == len(busy_until):
            busy_until.append(step)
        busy_until[lane] = _end_of_branch(step, last_child)
        lanes.append(lane)
    return Lanes(lanes, parents)


def draw_rows(lanes: Lanes, classes: Sequence[str]) -> list[Markup]:
    """One slice of the graph per step; ``classes`` are the CSS classes of the nodes."""
    pitch = min(_LANE, _WIDEST / lanes.count)
    width = pitch * lanes.count + 8
    strokes = _strokes(lanes, pitch)
    return [
        element(
            "svg",
            element("path", d="".join(sorted(strokes[row])), class_="branch"),
            element("circle", cx=_x(lanes.of[row], pitch), cy=ROW / 2, r=5, class_=f"knot {class_}"),
            class_="lanes",
            width=width,
            height=ROW,
            aria_hidden="true",
        )
        for row, class_ in enumerate(classes)
    ]


def _strokes(lanes: Lanes, pitch: float) -> list[set[str]]:
    """The path segments in each row: from parents, through rows in between, to children."""
    strokes: list[set[str]] = [set() for _ in lanes.of]
    middle = number(ROW / 2)
    for child, parent in enumerate(lanes.parents):
        if parent is None:
            continue
        start, end = number(_x(lanes.of[parent], pitch)), number(_x(lanes.of[child], pitch))
        strokes[parent].add(f"M{start} {middle}V{ROW:g}")
        for row in range(parent + 1, child):
            strokes[row].add(f"M{start} 0V{ROW:g}")
        bend = f"V{middle}" if start == end else f"C{start} {middle} {end} 0 {end} {middle}"
        strokes[child].add(f"M{start} 0{bend}")
    return strokes


def _end_of_branch(step: int, last_child: dict[int, int]) -> int:
    while step in last_child:
        step = last_child[step]
    return step


def _x(lane: int, pitch: float) -> float:
    return 8 + lane * pitch
