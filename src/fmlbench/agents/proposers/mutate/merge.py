"""Joining and taking back changes, line by line, and the ancestors of steps that this needs."""

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fmlbench.core.steps import History

Files = Mapping[str, str]

_NEARBY_LINES = 2


@dataclass(frozen=True)
class Hunk:
    """Lines ``start`` to ``end`` of a file (from zero, end excluded) replaced by others."""

    path: str
    start: int
    end: int
    lines: tuple[str, ...]

    def is_near(self, line: int) -> bool:
        """Whether a line (counted from one) is among those replaced, or close to them."""
        return self.start - _NEARBY_LINES < line <= self.end + _NEARBY_LINES

    def clashes(self, other: "Hunk") -> bool:
        """Whether the two change the same place; neighbours count, for they rarely mean different things."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


def changes(before: Files, after: Files) -> list[Hunk]:
    """How one set of files became another; files that are gone count as emptied."""
    paths = sorted({*before, *after})
    return [hunk for path in paths for hunk in _changes_of(path, before.get(path, ""), after.get(path, ""))]


def patched(before: Files, hunks: Sequence[Hunk]) -> dict[str, str]:
    """Make changes that do not clash."""
    files = dict(before)
    for path in {hunk.path for hunk in hunks}:
        lines = files.get(path, "").splitlines(keepends=True)
        own = [hunk for hunk in hunks if hunk.path == path]
        for hunk in sorted(own, key=lambda hunk: hunk.start, reverse=True):
            lines[hunk.start : hunk.end] = hunk.lines
        files[path] = "".join(lines)
    return files


def merged(base: Files, ours: Files, theirs: Files) -> dict[str, str]:
    """What both did to the base; where they clash, ours stands."""
    own = changes(base, ours)
    compatible = [hunk for hunk in changes(base, theirs) if not _clashes_with_any(hunk, own)]
    return patched(base, [*own, *compatible])


def _clashes_with_any(hunk: Hunk, others: Collection[Hunk]) -> bool:
    return any(hunk.clashes(other) for other in others)


def _changes_of(path: str, before: str, after: str) -> Iterator[Hunk]:
    if before == after:
        return
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            yield Hunk(path, start, end, tuple(new[new_start:new_end]))


def line_of(history: History, index: int) -> Iterator[int]:
    """A step and its first parents, up to the baseline."""
    while index != 0:
        yield index
        index = history[index].move.parents[0]
    yield 0


def sound_ancestor(history: History, index: int) -> int:
    """The nearest step above that has a score; the baseline where none has."""
    above = (step for step in line_of(history, index) if step != index and history[step].score is not None)
    return next(above, 0)


def common_ancestor(history: History, one: int, other: int) -> int:
    """The last step that both have in common."""
    line = set(line_of(history, one))
    return next(step for step in line_of(history, other) if step in line)
