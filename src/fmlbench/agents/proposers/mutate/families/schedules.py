"""Schedules: let the learning rate fall along another curve over about the same time."""

from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import Arguments, arguments_of, rewritten
from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
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
    name="schedules", idea="swap the learning-rate schedule", nodes=(cst.Call,), find=_find, weight=2.0
)
