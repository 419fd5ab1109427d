"""Find the lines of a file that are most similar to SEARCH lines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_AROUND = 2
_MOST_LINES = 40
_CANDIDATES = 8
_LONGEST_LINE = 200


@dataclass(frozen=True)
class Nearest:
    """The most similar lines of a file."""

    likeness: float
    lines: tuple[str, ...]


def nearest_lines(search: Sequence[str], lines: Sequence[str]) -> Nearest:
    """The most similar lines of a file."""
    # Characters are compared only where many words agree: comparing everywhere would be slow.
    if not any(line.strip() for line in lines):
        return Nearest(0.0, ())
    likeness = {at: _likeness(search, lines[at : at + len(search)]) for at in _promising(search, lines)}
    start = max(likeness, key=likeness.__getitem__)
    return Nearest(likeness[start], tuple(lines[start : start + min(len(search), _MOST_LINES)]))


def around(start: int, search: Sequence[str], lines: Sequence[str]) -> str:
    """Lines of a file with a few before and after them."""
    stop = start + min(len(search), _MOST_LINES) + _AROUND
    return "\n".join(line[:_LONGEST_LINE] for line in lines[max(0, start - _AROUND) : stop])


def _promising(search: Sequence[str], lines: Sequence[str]) -> list[int]:
    """The positions that share most words with the search."""
    wanted = _words(search)
    last = max(1, len(lines) - len(search) + 1)
    shared = {at: (wanted & _words(lines[at : at + len(search)])).total() for at in range(last)}
    return sorted(shared, key=lambda at: (-shared[at], at))[:_CANDIDATES]


def _words(lines: Sequence[str]) -> Counter[str]:
    return Counter(word for line in lines[:_MOST_LINES] for word in line.split())


def _likeness(search: Sequence[str], lines: Sequence[str]) -> float:
    one, other = ("\n".join(each[:_MOST_LINES])[:4000] for each in (search, lines))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
