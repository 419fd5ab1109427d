"""Everything that could be changed in one file, as plain data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from fmlbench.agents.proposers.mutate.families import FAMILIES
from fmlbench.agents.proposers.mutate.family import Change, MutationFamily
from fmlbench.agents.proposers.mutate.source import Cursor, Span, parse, walk

_DEFINITION = re.compile(r"^\s*(?:def|class)\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Site:
    """One possible change of one file, ready to be made."""

    family: str
    path: str
    line: int
    span: Span
    becomes: str
    what: str
    scope: str
    weight: float

    def words(self, text: str) -> str:
        """The line of the file that the change begins on."""
        return text.split("\n")[self.line - 1].strip()

    @property
    def idea(self) -> str:
        """The change in one line."""
        return f"{self.scope}: {self.what} in {self.path}:{self.line}"

    def apply(self, text: str) -> str:
        """The file's text after the change."""
        data = text.encode()
        return (data[: self.span.start] + self.becomes.encode() + data[self.span.end :]).decode()


def definitions(files: Mapping[str, str]) -> frozenset[str]:
    """The functions and classes of a set of files."""
    return frozenset(name for text in files.values() for name in _DEFINITION.findall(text))


# A search returns to the same few parents again and again, and parsing is most of the work.
@lru_cache(maxsize=64)
def sites_in(path: str, text: str, defined: frozenset[str]) -> tuple[Site, ...]:
    """All changes the families see in a file; ``defined`` names the functions of all editable code."""
    source = parse(text, defined)
    if source is None:
        return ()
    trail: list[cst.CSTNode] = []
    cursor = Cursor(source, trail)
    sites: list[Site] = []

    def visit(node: cst.CSTNode) -> None:
        for family in _BY_NODE.get(type(node), ()):
            sites.extend(_site(path, family, change, cursor) for change in family.find(node, cursor))

    walk(source.module, trail, visit)
    return tuple(sites)


def _site(path: str, family: MutationFamily, change: Change, cursor: Cursor) -> Site:
    span = change.target if isinstance(change.target, Span) else cursor.source.span(change.target)
    return Site(
        family=family.name,
        path=path,
        line=cursor.source.line(span.start),
        span=span,
        becomes=change.becomes,
        what=change.what,
        scope=cursor.scope,
        weight=change.weight,
    )


def _families_by_node() -> dict[type[cst.CSTNode], list[MutationFamily]]:
    table: dict[type[cst.CSTNode], list[MutationFamily]] = {}
    for family in FAMILIES:
        for node in family.nodes:
            table.setdefault(node, []).append(family)
    return table


_BY_NODE = _families_by_node()
