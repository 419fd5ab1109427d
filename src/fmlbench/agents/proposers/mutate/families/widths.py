"""Widths: numbers that occur several times in one function are changed together, so that layers still fit."""

from collections.abc import Iterator, Sequence

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.source import Span
from fmlbench.agents.proposers.mutate.walk import walk

_SMALLEST = 8
"""Smaller numbers are mostly counts and kernel sizes that are equal by chance."""

_FACTORS = (0.5, 0.75, 1.5, 2.0)


def _find(node: cst.IndentedBlock, cursor: Cursor) -> Iterator[Change]:
    if not isinstance(cursor.parent, cst.FunctionDef):
        return
    for value, numbers in _repeated(node).items():
        span = Span(cursor.source.span(numbers[0]).start, cursor.source.span(numbers[-1]).end)
        for factor in _FACTORS:
            width = round(value * factor)
            becomes = _replaced(numbers, str(width), span, cursor)
            yield Change(span, becomes, f"width {value} -> {width} in {len(numbers)} places")


def _repeated(body: cst.IndentedBlock) -> dict[int, list[cst.Integer]]:
    """Whole numbers that a function hands to others at least twice, in the order of the text."""
    found: dict[int, list[cst.Integer]] = {}
    trail: list[cst.CSTNode] = []

    def visit(node: cst.CSTNode) -> None:
        if isinstance(node, cst.Integer) and isinstance(trail[-1], cst.Arg) and node.value.isdecimal():
            found.setdefault(int(node.value), []).append(node)

    walk(body, trail, visit)
    return {value: numbers for value, numbers in found.items() if value >= _SMALLEST and len(numbers) > 1}


def _replaced(numbers: Sequence[cst.Integer], width: str, span: Span, cursor: Cursor) -> str:
    """The text of a span with other words for these numbers."""
    data, at, parts = cursor.source.data, span.start, list[bytes]()
    for number in numbers:
        place = cursor.source.span(number)
        parts += [data[at : place.start], width.encode()]
        at = place.end
    return b"".join(parts).decode()


WIDTHS = MutationFamily(
    name="widths", idea="scale a layer size wherever it occurs", nodes=(cst.IndentedBlock,), find=_find, weight=1.5
)
