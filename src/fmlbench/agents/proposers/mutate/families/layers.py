"""Layers: leave one out of a stack, or put one in twice."""

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.source import Span

_KEEPS_SHAPE = re.compile(r"ReLU|GELU|SiLU|ELU|Tanh|Sigmoid|Mish|Softplus|Norm|Dropout|Identity|Random|Jitter|Blur")
_LIKELY, _UNLIKELY = 1.0, 0.2

_Item = cst.Arg | cst.BaseElement


def _find(node: cst.Call | cst.List, cursor: Cursor) -> Iterator[Change]:
    items = _stack(node)
    if len(items) < 2:
        return
    for index, item in enumerate(items):
        layer = cst.ensure_type(item.value, cst.Call)
        words = cursor.text(item)
        weight = _LIKELY if _keeps_shape(layer, cursor) else _UNLIKELY
        yield Change(_span_to_drop(items, index, cursor), "", f"drop {cursor.snippet(layer)}", weight)
        yield Change(item, f"{words}, {words}", f"two times {cursor.snippet(layer)}", weight)


def _stack(node: cst.Call | cst.List) -> Sequence[_Item]:
    """The layers of a stack; none if it is not one."""
    if isinstance(node, cst.Call):
        items: Sequence[_Item] = node.args if called(node) in {"Sequential", "Compose"} else ()
        is_plain = all(arg.keyword is None and not arg.star for arg in node.args)
    else:
        items, is_plain = node.elements, True
    return items if is_plain and all(isinstance(item.value, cst.Call) for item in items) else ()


def _keeps_shape(layer: cst.Call, cursor: Cursor) -> bool:
    """Whether a layer can be left out or repeated without its neighbours noticing."""
    if _KEEPS_SHAPE.search(called(layer)):
        return True
    sizes = [cursor.text(arg.value) for arg in layer.args[:2]]
    return len(sizes) == 2 and sizes[0] == sizes[1]


def _span_to_drop(items: Sequence[_Item], index: int, cursor: Cursor) -> Span:
    """An item with the comma that sets it apart."""
    span = cursor.source.span
    if index + 1 < len(items):
        return Span(span(items[index]).start, span(items[index + 1]).start)
    return Span(span(items[index - 1]).end, span(items[index]).end)


LAYERS = MutationFamily(
    name="layers", idea="drop or duplicate a layer", nodes=(cst.Call, cst.List), find=_find, weight=2.0
)
