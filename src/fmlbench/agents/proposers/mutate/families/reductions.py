"""Reductions: sum up many values another way."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import METHOD, Groups, renames
from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_GROUPS: Groups = {
    "numpy": [("mean", "median", "sum", "max", "min"), ("std", "var"), ("minimum", "maximum")],
    "torch": [("mean", "sum", "amax"), ("std", "var"), ("minimum", "maximum")],
    METHOD: [("mean", "sum"), ("std", "var"), ("max", "min"), ("amax", "amin")],
}


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    for change in renames(node, cursor, _GROUPS):
        yield Change(change.target, change.becomes, f"{change.what} in {cursor.snippet(node)}")


REDUCTIONS = MutationFamily(name="reductions", idea="swap mean, median, sum, extremes", nodes=(cst.Call,), find=_find)
