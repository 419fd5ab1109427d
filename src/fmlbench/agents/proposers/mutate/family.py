"""What a family of changes is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from fmlbench.agents.proposers.mutate.cursor import Cursor
from fmlbench.agents.proposers.mutate.source import Span


@dataclass(frozen=True)
class Change:
    """A change that a family sees: what to replace, by which words, and how to tell of it."""

    target: cst.CSTNode | Span
    becomes: str
    what: str
    weight: float = 1.0
    """How much more likely than the family's other changes of the same file."""


@dataclass(frozen=True)
class MutationFamily:
    """A kind of change: ``find`` is shown every node of the given types and yields what could become of it."""

    name: str
    idea: str
    """What the family tries, in one line."""
    nodes: tuple[type[cst.CSTNode], ...]
    find: Callable[[Any, Cursor], Iterator[Change]]
    """Called with a node of one of those types only, which is more than its type can say."""
    weight: float = 1.0
