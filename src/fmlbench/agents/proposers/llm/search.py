"""Find where in a file a model's SEARCH lines stand.

Three readings are tried, the strictest first: as they are, without the blanks at line ends, and shifted as a whole by
one indentation. The first reading that finds the lines must find them exactly once: which of two places was meant is
nothing to guess.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Lines = Sequence[str]


@dataclass(frozen=True)
class Match:
    """Where the lines were found, and how to write lines that stand in their place."""

    start: int
    adapt: Callable[[str], str]


def find(search: Lines, lines: Lines) -> list[Match]:
    """All places of the strictest reading that finds any."""
    for reading in (_as_they_are, _without_trailing_blanks, _shifted):
        found = [match for start in range(len(lines) - len(search) + 1) if (match := reading(search, lines, start))]
        if found:
            return found
    return []


def _as_they_are(search: Lines, lines: Lines, start: int) -> Match | None:
    is_here = all(lines[start + at] == line for at, line in enumerate(search))
    return Match(start, lambda line: line) if is_here else None


def _without_trailing_blanks(search: Lines, lines: Lines, start: int) -> Match | None:
    is_here = all(lines[start + at].rstrip() == line.rstrip() for at, line in enumerate(search))
    return Match(start, lambda line: line) if is_here else None


def _shifted(search: Lines, lines: Lines, start: int) -> Match | None:
    """A match if every line that is not blank has the same blanks too many, or too few, in front."""
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
    """What to take from the front of a line and what to put there, to get from one indentation to the other."""
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
