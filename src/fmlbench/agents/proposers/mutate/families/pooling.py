"""Pooling: the largest value or the average one."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import ANYWHERE, Groups, arguments_of, rewritten, stand_ins
from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_PAIRS: Groups = {
    ANYWHERE: [
        pair
        for d in "123"
        for pair in (
            (f"MaxPool{d}d", f"AvgPool{d}d"),
            (f"AdaptiveMaxPool{d}d", f"AdaptiveAvgPool{d}d"),
            (f"max_pool{d}d", f"avg_pool{d}d"),
            (f"adaptive_max_pool{d}d", f"adaptive_avg_pool{d}d"),
        )
    ]
}

_SHARED = frozenset({"input", "kernel_size", "stride", "padding", "ceil_mode", "output_size"})


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor)
    for name in stand_ins(node, cursor, _PAIRS):
        yield rewritten(node, cursor, name, arguments.only(first=4, names=_SHARED))


POOLING = MutationFamily(name="pooling", idea="swap maximum and average pooling", nodes=(cst.Call,), find=_find)
