"""Terms: drop one side of a sum or product, or give it another weight."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.families.operators import is_arithmetic
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.vocabulary import is_loss, is_scores

_WEIGHTS = ("0.1", "0.5", "2.0", "10.0")


def _find(node: cst.BinaryOperation | cst.AugAssign, cursor: Cursor) -> Iterator[Change]:
    if not is_arithmetic(node):
        return
    if isinstance(node, cst.AugAssign):
        if isinstance(node.operator, cst.AddAssign | cst.SubtractAssign):
            yield from _weighed(node.value, node, cursor)
        return
    if isinstance(node.operator, cst.Add | cst.Subtract):
        yield from _weighed(node.left, node, cursor)
        yield from _weighed(node.right, node, cursor)
    if isinstance(node.operator, cst.Add | cst.Multiply):
        yield _kept(node.right, node, cursor, instead_of=node.left)
    if isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply | cst.Divide):
        yield _kept(node.left, node, cursor, instead_of=node.right)


def _weighed(term: cst.BaseExpression, whole: cst.CSTNode, cursor: Cursor) -> Iterator[Change]:
    if isinstance(term, cst.Integer | cst.Float):
        return
    for weight in _WEIGHTS:
        what = f"weigh {cursor.snippet(term)} by {weight} in {cursor.snippet(whole)}"
        yield Change(term, f"{weight} * {cursor.operand(term)}", what, 0.5 * _importance(cursor))


def _kept(
    term: cst.BaseExpression, whole: cst.BinaryOperation, cursor: Cursor, *, instead_of: cst.BaseExpression
) -> Change:
    what = f"drop {cursor.snippet(instead_of)} from {cursor.snippet(whole)}"
    return Change(whole, cursor.text(term), what, _importance(cursor))


def _importance(cursor: Cursor) -> float:
    name = f"{cursor.role}_{cursor.scope}"
    return 3.0 if is_loss(name) or is_scores(name) else 1.0


TERMS = MutationFamily(
    name="terms",
    idea="drop or weigh a term of a sum or product",
    nodes=(cst.BinaryOperation, cst.AugAssign),
    find=_find,
    weight=1.0,
)
