"""Booleans: switch an option on or off."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.vocabulary import AXES, INERT

_OPPOSITE = {"True": "False", "False": "True"}


def _find(node: cst.Name, cursor: Cursor) -> Iterator[Change]:
    opposite = _OPPOSITE.get(node.value)
    role = cursor.role
    if opposite is None or role in INERT or role in AXES:
        return
    name = role or ("the answer" if isinstance(cursor.parent, cst.Return) else cursor.snippet(cursor.parent))
    yield Change(node, opposite, f"{name} {node.value} -> {opposite}", 1.0 if role else 0.2)


BOOLEANS = MutationFamily(name="booleans", idea="switch an option on or off", nodes=(cst.Name,), find=_find)
