"""Changes of hyperparameters: numbers, layer widths, switches, and options that are off by default."""

import math
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.source import Cursor, Span, walk
from fmlbench.agents.proposers.mutate.vocabulary import (
    AXES,
    INERT,
    SHAPES,
    TAKES_AXES,
    is_fraction,
    is_hyperparameter,
)

_FACTORS = {0.1: 0.3, 0.3: 0.8, 0.5: 1.2, 2.0: 1.5, 3.0: 0.8, 10.0: 0.3}
"""How likely each factor is, relative to the others: small steps help more often."""

# Too small to say what a number is for.
_WRAPPERS = (cst.Arg, cst.Element, cst.SubscriptElement, cst.Index, cst.UnaryOperation)

# A nameless number this small keeps a division safe, and no more.
_GUARD_AGAINST_ZERO = 1e-5

_INSTEAD_OF_ZERO = (0.001, 0.01, 0.1, 1.0)


def _find_numbers(node: cst.Integer | cst.Float, cursor: Cursor) -> Iterator[Change]:
    """Constants on a logarithmic scale, those just below one by their distance to it."""
    role = cursor.role
    if role in INERT or cursor.callee in INERT:
        return
    if _is_position(role, cursor):
        choices, weight = _neighbours(node), 0.005
    else:
        choices, weight = _scaled(node, role), _weight(node, role, cursor)
    for becomes, likelihood in choices.items():
        if becomes != node.value:
            yield Change(node, becomes, _told(node.value, becomes, role, cursor), weight * likelihood)


def _told(old: str, new: str, role: str, cursor: Cursor) -> str:
    if role:
        return f"{role} {old} -> {new}"
    whole = next(node for node in reversed(cursor.trail) if not isinstance(node, _WRAPPERS))
    return f"{old} -> {new} in {cursor.snippet(whole)}"


def _is_position(role: str, cursor: Cursor) -> bool:
    """Whether the number says where something stands rather than how much of it there is."""
    if role in AXES or cursor.callee in TAKES_AXES:
        return True
    return any(isinstance(node, cst.SubscriptElement) for node in cursor.trail[-4:])


def _weight(node: cst.Integer | cst.Float, role: str, cursor: Cursor) -> float:
    if role in SHAPES:
        return 0.3
    if is_hyperparameter(role):
        return 6.0
    if isinstance(node, cst.Float) and 0 < float(node.value) < _GUARD_AGAINST_ZERO:
        return 0.1
    if role:
        return 3.0
    return 1.0 if cursor.callee else 0.6


def _scaled(node: cst.Integer | cst.Float, role: str) -> dict[str, float]:
    if isinstance(node, cst.Integer):
        return _scaled_integer(node.value)
    return _scaled_float(float(node.value), role)


def _scaled_integer(digits: str) -> dict[str, float]:
    if not digits.isdecimal():
        return {}
    value = int(digits)
    if value == 0:
        return {"1": 0.3}
    choices = {str(max(1, round(value * factor))): likelihood for factor, likelihood in _FACTORS.items()}
    return {str(value + 1): 0.5, **choices} if value < 10 else choices


def _scaled_float(value: float, role: str) -> dict[str, float]:
    if value == 0:
        return {_written(choice): 1.0 for choice in _INSTEAD_OF_ZERO}
    if not math.isfinite(value):
        return {}
    choices = {_written(value * factor): likelihood for factor, likelihood in _FACTORS.items()}
    if not 0.5 <= value < 1:
        return choices
    nearer = {_written(1 - (1 - value) * factor, digits=4): likelihood for factor, likelihood in _FACTORS.items()}
    both = {**choices, **nearer}
    bound = 1 if is_fraction(role) else math.inf
    return {choice: likelihood for choice, likelihood in both.items() if 0 < float(choice) < bound}


def _neighbours(node: cst.Integer | cst.Float) -> dict[str, float]:
    if isinstance(node, cst.Float) or not node.value.isdecimal():
        return {}
    value = int(node.value)
    return {str(choice): 1.0 for choice in (value - 1, value + 1) if choice >= 0}


def _written(value: float, digits: int = 2) -> str:
    return repr(float(f"{value:.{digits}g}"))


NUMBERS = MutationFamily(
    name="numbers",
    idea="move a constant up or down a logarithmic scale",
    nodes=(cst.Integer, cst.Float),
    find=_find_numbers,
    weight=16.0,
)


_SMALLEST_WIDTH = 8
"""Smaller numbers are mostly counts and kernel sizes that are equal by chance."""

_WIDTH_FACTORS = (0.5, 0.75, 1.5, 2.0)


def _find_widths(node: cst.IndentedBlock, cursor: Cursor) -> Iterator[Change]:
    """Numbers that occur several times in one function are changed together, so that layers still fit."""
    if not isinstance(cursor.parent, cst.FunctionDef):
        return
    for value, numbers in _repeated(node).items():
        span = Span(cursor.source.span(numbers[0]).start, cursor.source.span(numbers[-1]).end)
        for factor in _WIDTH_FACTORS:
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
    return {value: numbers for value, numbers in found.items() if value >= _SMALLEST_WIDTH and len(numbers) > 1}


def _replaced(numbers: Sequence[cst.Integer], width: str, span: Span, cursor: Cursor) -> str:
    """The text of a span with other words for these numbers."""
    data, at, parts = cursor.source.data, span.start, list[bytes]()
    for number in numbers:
        place = cursor.source.span(number)
        parts += [data[at : place.start], width.encode()]
        at = place.end
    return b"".join(parts).decode()


WIDTHS = MutationFamily(
    name="widths",
    idea="scale a layer size wherever it occurs",
    nodes=(cst.IndentedBlock,),
    find=_find_widths,
    weight=1.5,
)


_OPPOSITE = {"True": "False", "False": "True"}


def _find_booleans(node: cst.Name, cursor: Cursor) -> Iterator[Change]:
    opposite = _OPPOSITE.get(node.value)
    role = cursor.role
    if opposite is None or role in INERT or role in AXES:
        return
    name = role or ("the answer" if isinstance(cursor.parent, cst.Return) else cursor.snippet(cursor.parent))
    yield Change(node, opposite, f"{name} {node.value} -> {opposite}", 1.0 if role else 0.2)


BOOLEANS = MutationFamily(name="booleans", idea="switch an option on or off", nodes=(cst.Name,), find=_find_booleans)


_OPTION_VALUES = {"float": ("0.1", "1.0", "2.0"), "int": ("1", "2", "5"), "bool": ("True",)}
_OPTIONAL = re.compile(r"(?:Optional\[)?(float|int|bool)(?:\]| *\| *None)")


def _find_options(node: cst.Param, cursor: Cursor) -> Iterator[Change]:
    match node:
        case cst.Param(
            name=cst.Name(value=name), annotation=cst.Annotation(annotation=kind), default=cst.Name(value="None")
        ):
            found = _OPTIONAL.fullmatch(cursor.text(kind).replace("typing.", ""))
        case _:
            return
    if found is None or name in INERT or node.default is None:
        return
    for value in _OPTION_VALUES[found[1]]:
        yield Change(node.default, value, f"{name} None -> {value}")


OPTIONS = MutationFamily(
    name="options", idea="give a parameter that is off by default a value", nodes=(cst.Param,), find=_find_options
)
