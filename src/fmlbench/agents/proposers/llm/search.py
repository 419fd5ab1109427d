"""Find a model's SEARCH lines in a file.

Three comparisons are tried, the strictest first: exact, without trailing whitespace, and with another indentation of
all lines. The first one with a match must match exactly once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Lines = Sequence[str]


@dataclass(frozen=True)
class Match:
    """The position of the lines, and how to indent the lines that replace them."""

    start: int
    adapt: Callable[[str], str]


def find(search: Lines, lines: Lines) -> list[Match]:
    """All matches of the strictest comparison that finds any."""
    for compare in (_exact, _without_trailing_blanks, _shifted):
        found = [match for start in range(len(lines) - len(search) + 1) if (match := compare(search, lines, start))]
        if found:
            return found
    return []


def _exact(search: Lines, lines: Lines, start: int) -> Match | None:
    is_here = all(lines[start + at] == line for at, line in enumerate(search))
    return Match(start, lambda line: line) if is_here else None


def _without_trailing_blanks(search: Lines, lines: Lines, start: int) -> Match | None:
    is_here = all(lines[start + at].rstrip() == line.rstrip() for at, line in enumerate(search))
    return Match(start, lambda line: line) if is_here else None


def _shifted(search: Lines, lines: Lines, start: int) -> Match | None:
    """A match if the indentation of all lines that are not blank differs in the same way."""
    shifts: set[tuple[str, str]] = set()
    for at, line in enumerate(search):
        wanted, there = line.rstrip(), lines[start + at].rstrip()
        if wanted.lstrip() != there.lstrip():
            return None
        if wanted:
            shifts.add(_shift(_indentation(wanted), _indentation(there)))
    if len(shifts) != 1:
        return None
    ((less, more),) = shifts
    if less and more:
        return None
    return Match(start, lambda line: _move(line, less, more))


def _shift(wanted: str, there: str) -> tuple[str, str]:
    """The prefix to remove and the prefix to add to change one indentation into the other."""
    if there.endswith(wanted):
        return "", there[: len(there) - len(wanted)]
    if wanted.endswith(there):
        return wanted[: len(wanted) - len(there)], ""
    return wanted, there


def _move(line: str, less: str, more: str) -> str:
    if not line.strip():
        return line
    if less:
        return line.removeprefix(less) if line.startswith(less) else line.lstrip()
    return more + line


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
