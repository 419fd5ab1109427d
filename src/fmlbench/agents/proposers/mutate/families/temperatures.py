"""Temperatures: make scores sharper or flatter before they are compared."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.vocabulary import is_scores

_FACTORS = ("0.1", "0.5", "2.0", "5.0", "10.0")
_SOFT = frozenset({"softmax", "log_softmax", "cross_entropy", "logsumexp", "gumbel_softmax"})


def _find(node: cst.Call | cst.Assign, cursor: Cursor) -> Iterator[Change]:
    scores = _scores_in(node, cursor)
    if scores is not None:
        words = cursor.operand(scores)
        for factor in _FACTORS:
            what = f"scale {cursor.snippet(scores)} by {factor}"
            becomes = f"{factor} * {words}"
            yield Change(scores, becomes if _stands_free(node, scores) else f"({becomes})", what)


def _scores_in(node: cst.Call | cst.Assign, cursor: Cursor) -> cst.BaseExpression | None:
    """The expression in a statement or call that holds scores."""
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return value if is_scores(name) and not isinstance(value, cst.Tuple | cst.List | cst.Dict) else None
        case cst.Call(func=cst.Attribute(value=scores)) if called(node) in _SOFT and _is_method_of(
            scores, node, cursor
        ):
            return scores
        case cst.Call(args=[cst.Arg(keyword=None, star="", value=scores), *_]) if called(node) in _SOFT:
            return scores
        case _:
            return None


def _is_method_of(scores: cst.BaseExpression, call: cst.Call, cursor: Cursor) -> bool:
    """Whether ``scores.softmax()`` is meant, rather than a module's function or a layer of the model."""
    return not cursor.module_of(call) and cursor.text(scores) != "self"


def _stands_free(node: cst.Call | cst.Assign, scores: cst.BaseExpression) -> bool:
    is_callee = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.value is scores
    return bool(scores.lpar) or not is_callee


TEMPERATURES = MutationFamily(
    name="temperatures", idea="sharpen or flatten scores", nodes=(cst.Call, cst.Assign), find=_find
)
