"""Initialisers: use another distribution of initial weights."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import ANYWHERE, METHOD, Groups, arguments_of, renames, rewritten, stand_ins
from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_SCHEMES: Groups = {
    ANYWHERE: [
        ("kaiming_normal_", "kaiming_uniform_", "xavier_normal_", "xavier_uniform_", "orthogonal_"),
    ]
}

_DRAWS: Groups = {
    METHOD: [("standard_normal", "random"), ("normal", "laplace")],
    "numpy.random": [("randn", "rand"), ("normal", "laplace")],
    "torch": [("randn", "rand"), ("randn_like", "rand_like"), ("zeros", "randn")],
}


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor)
    for name in stand_ins(node, cursor, _SCHEMES):
        yield rewritten(node, cursor, name, arguments.only(first=1, names={"tensor"}))
    yield from renames(node, cursor, _DRAWS)


INITIALISERS = MutationFamily(
    name="initialisers", idea="change the initialisation of weights", nodes=(cst.Call,), find=_find
)
