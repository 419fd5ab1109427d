"""Comparisons: move a boundary to the other side, or ask the opposite."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_INSTEAD: dict[type[cst.CSTNode], tuple[str, tuple[str, str]]] = {
    cst.LessThan: ("<", ("<=", ">")),
    cst.LessThanEqual: ("<=", ("<", ">=")),
    cst.GreaterThan: (">", (">=", "<")),
    cst.GreaterThanEqual: (">=", (">", "<=")),
}


def _find(node: cst.Comparison, cursor: Cursor) -> Iterator[Change]:
    for target in node.comparisons:
        if type(target.operator) in _INSTEAD:
            old, choices = _INSTEAD[type(target.operator)]
            for new, weight in zip(choices, (1.0, 0.3), strict=True):
                yield Change(target.operator, new, f"{old} -> {new} in {cursor.snippet(node)}", weight)


COMPARISONS = MutationFamily(
    name="comparisons", idea="move the boundary of a comparison", nodes=(cst.Comparison,), find=_find, weight=0.2
)
