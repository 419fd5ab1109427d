"""Operators: add instead of subtract, divide instead of multiply, and back."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_BINARY: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.Add: ("+", "-"),
    cst.Subtract: ("-", "+"),
    cst.Multiply: ("*", "/"),
    cst.Divide: ("/", "*"),
    cst.AddAssign: ("+=", "-="),
    cst.SubtractAssign: ("-=", "+="),
    cst.MultiplyAssign: ("*=", "/="),
    cst.DivideAssign: ("/=", "*="),
}

_NOT_ARITHMETIC = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString, cst.List, cst.Tuple, cst.ListComp)


def _find(node: cst.BinaryOperation | cst.AugAssign, cursor: Cursor) -> Iterator[Change]:
    if type(node.operator) not in _BINARY or not is_arithmetic(node):
        return
    old, new = _BINARY[type(node.operator)]
    yield Change(node.operator, new, f"{old} -> {new} in {cursor.snippet(node)}")


def is_arithmetic(node: cst.BinaryOperation | cst.AugAssign) -> bool:
    """Whether an operation is about numbers; text and lists are joined by the same signs."""
    sides = (node.left, node.right) if isinstance(node, cst.BinaryOperation) else (node.value,)
    return not any(isinstance(side, _NOT_ARITHMETIC) for side in sides)


OPERATORS = MutationFamily(
    name="operators",
    idea="swap plus and minus, or times and divided by",
    nodes=(cst.BinaryOperation, cst.AugAssign),
    find=_find,
    weight=0.2,
)
