"""Branches: always take one of two ways, or take the other one."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily


def _find(node: cst.IfExp | cst.If, cursor: Cursor) -> Iterator[Change]:
    if _is_guard(node.test):
        return
    if isinstance(node, cst.IfExp):
        for way in (node.body, node.orelse):
            becomes = cursor.instead_of(node, cursor.text(way))
            yield Change(node, becomes, f"always {cursor.snippet(way)} in {cursor.snippet(node)}")
    else:
        test = cursor.operand(node.test)
        yield Change(node.test, f"not {test}", f"negate if {cursor.snippet(node.test)}", 0.5)


def _is_guard(test: cst.BaseExpression) -> bool:
    """Whether a test asks for types or missing values, where the other way can only crash."""
    match test:
        case cst.Call(func=cst.Name(value=name)):
            return name in {"isinstance", "hasattr", "callable", "issubclass"}
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=operator)]):
            return isinstance(operator, cst.Is | cst.IsNot | cst.In | cst.NotIn)
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return _is_guard(inner)
        case _:
            return False


BRANCHES = MutationFamily(
    name="branches", idea="always take one of two ways", nodes=(cst.IfExp, cst.If), find=_find, weight=0.2
)
