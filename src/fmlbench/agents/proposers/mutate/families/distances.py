"""Distances: compare vectors by another measure."""

import re
from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import arguments_of, rewritten
from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_MEASURES = ("l2", "l1", "euclidean", "cosine", "dot", "manhattan", "mahalanobis", "rbf", "bilinear")
_MEASURE_IN_NAME = re.compile(rf"(?:^|(?<=_))(?:{'|'.join(_MEASURES)})(?=_|$)")

# As SciPy and scikit-learn spell them.
_METRICS = ("euclidean", "sqeuclidean", "cityblock", "cosine", "correlation")


def _find(node: cst.Call | cst.SimpleString, cursor: Cursor) -> Iterator[Change]:
    if isinstance(node, cst.SimpleString):
        yield from _metric_names(node)
        return
    yield from _twins(node, cursor)
    yield from _orders(node, cursor)
    yield from _similarities(node, cursor)


def _twins(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """``self.l2_distance(x)`` -> ``self.cosine_distance(x)``, where the code has both."""
    name = called(node)
    target = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    for measure in _MEASURES:
        twin = _MEASURE_IN_NAME.sub(measure, name)
        if twin != name and twin in cursor.source.defined:
            yield Change(target, twin, f"{name} -> {twin}", 4.0)


def _orders(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """``cdist(a, b)`` in another order, or squared."""
    name, arguments = called(node), arguments_of(node, cursor)
    if name in {"cdist", "pairwise_distance"} and len(arguments.positional) == 2 and "p" not in arguments.named:
        for order in ("0.5", "1.0", "1.5", "3.0"):
            ordered = arguments.having(p=order)
            yield rewritten(node, cursor, name, ordered, f"{name} of order {order}")
        yield Change(node, cursor.instead_of(node, f"{cursor.text(node.func)}({arguments}) ** 2"), f"{name} squared")
    if cursor.module_of(node) == "numpy.linalg" and name == "norm" and "axis" in arguments.named:
        yield rewritten(node, cursor, name, arguments.having(ord="1"), "norm of order 1")


def _similarities(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor).only(first=2, names=())
    if called(node) == "cosine_similarity" and cursor.module_of(node) == "torch.nn.functional":
        instead = f"-{cursor.renamed(node, 'pairwise_distance')}({arguments})"
        yield Change(node, cursor.instead_of(node, instead), "cosine_similarity -> -pairwise_distance")
    if called(node) == "pairwise_distance" and cursor.module_of(node) == "torch.nn.functional":
        instead = f"1 - {cursor.renamed(node, 'cosine_similarity')}({arguments})"
        yield Change(node, cursor.instead_of(node, instead), "pairwise_distance -> 1 - cosine_similarity")


def _metric_names(node: cst.SimpleString) -> Iterator[Change]:
    name = node.evaluated_value
    if name in _METRICS:
        quote = node.quote
        for other in _METRICS:
            if other != name:
                yield Change(node, f"{quote}{other}{quote}", f"{name} -> {other}")


DISTANCES = MutationFamily(
    name="distances", idea="compare by another measure", nodes=(cst.Call, cst.SimpleString), find=_find, weight=2.0
)
