"""Normalisation layers: over the batch, over groups, over each example, or not at all."""

import re
from collections.abc import Iterator

import libcst as cst

from fmlbench.agents.proposers.mutate.calls import Arguments, arguments_of, rewritten
from fmlbench.agents.proposers.mutate.cursor import Cursor, called
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily

_SPATIAL = re.compile(r"(BatchNorm|InstanceNorm)([123])d")


def _find(node: cst.Call, cursor: Cursor) -> Iterator[Change]:
    arguments = arguments_of(node, cursor)
    if arguments.is_plain:
        for name, settings in _choices(called(node), arguments):
            if name != called(node) and cursor.knows(node, name):
                yield rewritten(node, cursor, name, settings)


def _choices(name: str, arguments: Arguments) -> Iterator[tuple[str, str]]:
    channels = _channels(name, arguments)
    if channels is None:
        return
    yield "Identity", ""
    spatial = _SPATIAL.fullmatch(name)
    if spatial or name == "GroupNorm":
        dims = spatial[2] if spatial else "2"
        yield f"BatchNorm{dims}d", channels
        yield f"InstanceNorm{dims}d", f"{channels}, affine=True"
        yield "GroupNorm", f"{_groups(channels)}, {channels}"
    if name == "BatchNorm1d":
        yield "LayerNorm", channels
    if name == "LayerNorm":
        yield "RMSNorm", channels


def _channels(name: str, arguments: Arguments) -> str | None:
    if _SPATIAL.fullmatch(name):
        return arguments.get(0, "num_features")
    if name == "GroupNorm":
        return arguments.get(1, "num_channels")
    return arguments.get(0, "normalized_shape") if name == "LayerNorm" else None


def _groups(channels: str) -> int:
    """How many groups surely divide the channels."""
    return 8 if channels.isdecimal() and int(channels) % 8 == 0 else 1


NORMS = MutationFamily(
    name="norms", idea="swap or drop a normalisation layer", nodes=(cst.Call,), find=_find, weight=2.0
)
