"""Columns: put functions of some columns beside them."""

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_JOINS = frozenset({"hstack", "column_stack", "concatenate", "concat", "cat"})

_TORCH = {
    "the squares of": "{x} ** 2",
    "the absolute values of": "{x}.abs()",
    "the products of neighbours in": "{x} * {x}.roll(1, -1)",
    "the products of second neighbours in": "{x} * {x}.roll(2, -1)",
}

_NUMPY = {
    "the squares of": "{x} ** 2",
    "the absolute values of": "{np}.abs({x})",
    "the products of neighbours in": "{x} * {np}.roll({x}, 1, axis=-1)",
    "the products of second neighbours in": "{x} * {np}.roll({x}, 2, axis=-1)",
}


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    for item in _joined(node):
        if isinstance(item.value, cst.Name | cst.Attribute):
            x = cursor.text(item.value)
            for what, template in _templates(cursor).items():
                added = template.format(x=x, np=cursor.source.alias("numpy"))
                yield Change(item, f"{x}, {added}", f"add {what} {x}")


def _joined(node: cst.Call) -> Sequence[cst.BaseElement]:
    """The arrays that a call sets side by side."""
    match node:
        case cst.Call(args=[cst.Arg(keyword=None, star="", value=cst.List() | cst.Tuple() as arrays), *_]):
            return arrays.elements if called(node) in _JOINS else ()
        case _:
            return ()


def _templates(cursor: Cursor) -> Mapping[str, str]:
    if cursor.source.uses("torch"):
        return _TORCH
    return _NUMPY if cursor.source.alias("numpy") else {}


COLUMNS = MutationFamily(
    name="columns", idea="put functions of some columns beside them", nodes=(cst.Call,), find=_find
)
