"""Transforms: pass single numbers through another curve."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import METHOD, Groups, renames
from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_GROUPS: Groups = {
    "numpy": [("exp", "expm1", "square", "exp2"), ("log", "log1p", "sqrt", "cbrt"), ("abs", "square", "sqrt")],
    "torch": [("exp", "expm1", "square", "exp2"), ("log", "log1p", "sqrt"), ("abs", "square", "sqrt")],
    "math": [("exp", "expm1"), ("log", "log1p", "sqrt", "log2")],
    METHOD: [("exp", "expm1", "square"), ("log", "log1p", "sqrt"), ("abs", "square"), ("softmax", "log_softmax")],
    "torch.nn.functional": [("softmax", "log_softmax"), ("sigmoid", "logsigmoid")],
}


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    for change in renames(node, cursor, _GROUPS):
        yield Change(change.target, change.becomes, f"{change.what} in {cursor.snippet(node)}")


TRANSFORMS = MutationFamily(name="transforms", idea="swap exp, log, sqrt and their like", nodes=(cst.Call,), find=_find)
