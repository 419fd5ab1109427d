"""Optimisers: take steps by another rule, with the learning rate that rule is used to."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import Arguments, arguments_of, rewritten
from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_ADAM = frozenset({"params", "lr", "betas", "eps", "weight_decay", "amsgrad"})

_ACCEPTS = {
    "SGD": frozenset({"params", "lr", "momentum", "dampening", "weight_decay", "nesterov"}),
    "RMSprop": frozenset({"params", "lr", "alpha", "eps", "weight_decay", "momentum", "centered"}),
    "Adagrad": frozenset({"params", "lr", "lr_decay", "eps", "weight_decay"}),
    "Adam": _ADAM,
    "AdamW": _ADAM,
    "NAdam": _ADAM - {"amsgrad"},
    "RAdam": _ADAM - {"amsgrad"},
}
"""Keyword arguments by optimiser; all take the parameters and the learning rate first."""

_ADAPTIVE = frozenset(_ACCEPTS) - {"SGD"}


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    name = called(node)
    if name not in _ACCEPTS:
        return
    arguments = arguments_of(node, cursor)
    if not arguments.is_plain or arguments.get(0, "params") is None:
        return
    for other, accepts in _ACCEPTS.items():
        if other == name or not cursor.knows(node, other):
            continue
        kept = arguments.only(first=2, names=accepts)
        yield rewritten(node, cursor, other, kept, f"{name} -> {other}")
        if (name in _ADAPTIVE) != (other in _ADAPTIVE) and kept.get(1, "lr") is not None:
            factor = "0.1" if other in _ADAPTIVE else "10"
            what = f"{name} -> {other} at {factor} times the learning rate"
            yield rewritten(node, cursor, other, _at_rate(kept, factor), what)
    if name == "SGD" and "momentum" not in arguments.named and len(arguments.positional) < 3:
        yield rewritten(node, cursor, "SGD", arguments.having(momentum="0.9"), "SGD with momentum 0.9")


def _at_rate(arguments: Arguments, factor: str) -> Arguments:
    params, rate = arguments.get(0, "params"), arguments.get(1, "lr")
    named = {name: value for name, value in arguments.named.items() if name not in {"params", "lr"}}
    return Arguments((str(params),), {"lr": f"{factor} * ({rate})", **named}, is_plain=True)


OPTIMIZERS = MutationFamily(name="optimizers", idea="swap the optimiser", nodes=(cst.Call,), find=_find, weight=2.0)
