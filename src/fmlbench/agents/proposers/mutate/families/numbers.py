"""Numbers: constants on a logarithmic scale, those just below one by their distance to it."""

import math
from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
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


def _find(node: cst.Integer | cst.Float, cursor: Cursor) -> Iterator[Change]:
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
    find=_find,
    weight=16.0,
)
