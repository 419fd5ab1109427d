"""Skips: leave out a step of a computation, repeat it, or lead the input past it."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_LIBRARIES = frozenset({"torch", "torch.nn.functional", "numpy"})
_KEEPS_SHAPE = frozenset(
    {"relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "tanh", "sigmoid", "normalize", "dropout", "log_softmax"}
    | {"exp", "expm1", "log", "log1p", "sqrt", "abs", "square", "sign", "sin", "cos", "arctan", "softmax"}
)


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """``self.block(x)`` -> ``x``, ``self.block(self.block(x))`` or ``x + self.block(x)``."""
    match node:
        case cst.Call(args=[cst.Arg(keyword=None, star="", value=value)]) if _is_step(node, cursor):
            call, step, x = cursor.text(node), cursor.text(node.func), cursor.text(value)
        case _:
            return
    name = cursor.snippet(node.func)
    yield Change(node, cursor.operand(value), f"skip {name}")
    yield Change(node, f"{step}({step}({x}))", f"{name} twice", 0.5)
    if isinstance(value, cst.Name | cst.Attribute):
        inner = f"{step}({x})" if node.lpar else call
        yield Change(node, cursor.instead_of(node, f"{x} + {inner}"), f"add a skip connection past {name}")


def _is_step(node: cst.Call, cursor: Cursor) -> bool:
    """Whether a call looks like one layer of many: a part of the model, or a function of a numerical library."""
    match node.func:
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            return not name.startswith("_") and not isinstance(cursor.parent, cst.Expr)
        case _:
            return called(node) in _KEEPS_SHAPE and cursor.module_of(node) in _LIBRARIES


SKIPS = MutationFamily(
    name="skips", idea="skip a step of a computation, or lead past it", nodes=(cst.Call,), find=_find
)
