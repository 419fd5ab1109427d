"""Activations: bend values another way."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import ANYWHERE, METHOD, Groups, arguments_of, renames
from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_SAME_ARGUMENTS: Groups = {
    ANYWHERE: [("Tanh", "Sigmoid", "Softsign", "GELU", "Softplus", "Mish")],
    "torch.nn.functional": [("relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "tanh")],
    "torch": [("relu", "tanh", "sigmoid")],
    "numpy": [("tanh", "arctan", "sin", "arcsinh")],
    "math": [("tanh", "atan", "sin", "erf")],
    METHOD: [("relu", "tanh", "sigmoid")],
}

# These take different arguments, so they are swapped with none at all.
_MODULES = ("ReLU", "GELU", "SiLU", "LeakyReLU", "ELU", "Tanh", "Mish", "Hardswish", "ReLU6")


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    name = called(node)
    if name in _MODULES:
        for other in _MODULES:
            if other != name and cursor.knows(node, other):
                yield Change(node, f"{cursor.renamed(node, other)}()", f"{name} -> {other}")
    else:
        yield from renames(node, cursor, _SAME_ARGUMENTS)
    yield from _rectifiers(node, cursor)


def _rectifiers(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """NumPy has no relu: it is written as a maximum with zero."""
    if cursor.module_of(node) != "numpy":
        return
    arguments = arguments_of(node, cursor)
    first = arguments.get(0)
    if called(node) == "tanh" and first is not None:
        yield Change(node, f"{cursor.renamed(node, 'maximum')}({first}, 0.0)", "tanh -> relu")
    if called(node) == "maximum" and arguments.get(1) in {"0", "0.0"}:
        yield Change(node, f"{cursor.renamed(node, 'tanh')}({first})", "relu -> tanh")
        yield Change(node, f"{cursor.renamed(node, 'maximum')}({first}, 0.1 * ({first}))", "relu -> leaky relu")


ACTIVATIONS = MutationFamily(
    name="activations", idea="swap an activation function", nodes=(cst.Call,), find=_find, weight=2.0
)
