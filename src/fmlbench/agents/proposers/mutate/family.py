"""What a family of changes is, and the change that many families share: another call."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from fmlbench.agents.proposers.mutate.source import Cursor, Span, called


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


Groups = Mapping[str, Sequence[tuple[str, ...]]]
"""Interchangeable names by module; ``ANYWHERE`` for names that mean the same in every module."""

ANYWHERE = "*"
METHOD = ""


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call as written, positional ones first."""

    positional: tuple[str, ...]
    named: Mapping[str, str]
    is_plain: bool
    """Whether they are all there: nothing is unpacked with stars."""

    def get(self, position: int, *names: str) -> str | None:
        """The argument at a position or, failing that, by one of these names."""
        if position < len(self.positional):
            return self.positional[position]
        return next((self.named[name] for name in names if name in self.named), None)

    def only(self, *, first: int, names: Collection[str]) -> "Arguments":
        """The first few positional arguments and those of the given names."""
        named = {name: value for name, value in self.named.items() if name in names}
        return Arguments(self.positional[:first], named, self.is_plain)

    def having(self, **named: str) -> "Arguments":
        """The same arguments with some named ones set."""
        return Arguments(self.positional, {**self.named, **named}, self.is_plain)

    def __str__(self) -> str:
        return ", ".join([*self.positional, *(f"{name}={value}" for name, value in self.named.items())])


def arguments_of(call: cst.Call, cursor: Cursor) -> Arguments:
    """Read a call's arguments."""
    positional = [cursor.text(arg.value) for arg in call.args if arg.keyword is None]
    named = {arg.keyword.value: cursor.text(arg.value) for arg in call.args if arg.keyword is not None}
    return Arguments(tuple(positional), named, not any(arg.star for arg in call.args))


def stand_ins(call: cst.Call, cursor: Cursor, groups: Groups) -> Iterator[str]:
    """Names that could be called instead with the same arguments and are available here."""
    name, module = called(call), cursor.module_of(call)
    for group in (*groups.get(ANYWHERE, ()), *groups.get(module, ())):
        if name in group:
            yield from (other for other in group if other != name and cursor.knows(call, other))


def renames(call: cst.Call, cursor: Cursor, groups: Groups) -> Iterator[Change]:
    """The same call under another name."""
    target = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    for name in stand_ins(call, cursor, groups):
        yield Change(target, name, f"{called(call)} -> {name}")


def rewritten(call: cst.Call, cursor: Cursor, name: str, arguments: Arguments | str, what: str = "") -> Change:
    """A call of another function with other arguments."""
    becomes = f"{cursor.renamed(call, name)}({arguments})"
    return Change(call, becomes, what or f"{called(call)} -> {name}({arguments})")
