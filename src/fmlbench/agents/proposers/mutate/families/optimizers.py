"""Changes of how a model is trained: the optimiser and its learning-rate schedule."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Arguments, Change, MutationFamily, arguments_of, rewritten

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


def _find_optimizers(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """Another optimiser, with the learning rate that it usually takes."""
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


OPTIMIZERS = MutationFamily(
    name="optimizers", idea="swap the optimiser", nodes=(cst.Call,), find=_find_optimizers, weight=2.0
)


def _find_schedules(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    """Another curve of the learning rate over about the same time."""
    arguments = arguments_of(node, cursor)
    optimizer = arguments.get(0, "optimizer")
    horizon = _horizon(called(node), arguments)
    if optimizer is None or horizon is None or not arguments.is_plain:
        return
    curves = {
        "CosineAnnealingLR": f"T_max={horizon}",
        "StepLR": f"step_size=max(1, ({horizon}) // 3), gamma=0.1",
        "ExponentialLR": f"gamma=0.01 ** (1 / ({horizon}))",
        "LinearLR": f"start_factor=1.0, end_factor=0.01, total_iters={horizon}",
    }
    for name, settings in curves.items():
        if name != called(node) and cursor.knows(node, name):
            yield rewritten(node, cursor, name, f"{optimizer}, {settings}", f"{called(node)} -> {name}")


def _horizon(schedule: str, arguments: Arguments) -> str | None:
    """How many ticks a schedule is laid out for, as an expression; None if it does not say."""
    match schedule:
        case "CosineAnnealingLR":
            return arguments.get(1, "T_max")
        case "LinearLR":
            return arguments.named.get("total_iters")
        case "StepLR":
            step = arguments.get(1, "step_size")
            return None if step is None else f"3 * ({step})"
        case "MultiStepLR":
            milestones = arguments.get(1, "milestones")
            return None if milestones is None else f"max({milestones})"
        case "ExponentialLR":
            return "100"
        case _:
            return None


SCHEDULES = MutationFamily(
    name="schedules", idea="swap the learning-rate schedule", nodes=(cst.Call,), find=_find_schedules, weight=2.0
)
