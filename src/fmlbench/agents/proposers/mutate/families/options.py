"""Options: give a parameter that is off by default a value."""

import re
from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.vocabulary import INERT

_VALUES = {"float": ("0.1", "1.0", "2.0"), "int": ("1", "2", "5"), "bool": ("True",)}
_OPTIONAL = re.compile(r"(?:Optional\[)?(float|int|bool)(?:\]| *\| *None)")


def _find(node: cst.Param, cursor: Cursor) -> Iterator[Change]:
    match node:
        case cst.Param(
            name=cst.Name(value=name), annotation=cst.Annotation(annotation=kind), default=cst.Name(value="None")
        ):
            found = _OPTIONAL.fullmatch(cursor.text(kind).replace("typing.", ""))
        case _:
            return
    if found is None or name in INERT or node.default is None:
        return
    for value in _VALUES[found[1]]:
        yield Change(node.default, value, f"{name} None -> {value}")


OPTIONS = MutationFamily(
    name="options", idea="give a parameter that is off by default a value", nodes=(cst.Param,), find=_find
)
