"""Sketches: small numeric summaries of every step's code, stored as notes for strategies that compare candidates.

A sketch is a count sketch of the code's tokens: a hash chooses the bucket and the sign of each. Distances between
sketches approximate distances between token counts, and are the same on every machine.
"""

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from fmlbench.core.agents import Session
from fmlbench.core.notes import Sketch, SketchRecorded
from fmlbench.core.steps import History

Counts = tuple[int, ...]

_WORD = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?|[^\s\w]")
_BUCKETS = 32
_MOST_REFERENCES = 10


def sketches_in(history: History) -> dict[int, Sketch]:
    """The sketches on record, by step."""
    return {note.step: note.sketch for note in history.notes if isinstance(note, SketchRecorded)}


def effective_dimension(shifts: Sequence[Sequence[float]]) -> float:
    """The effective dimension of moves away from the baseline: the participation ratio of the shifts.

    It is the squared trace of the matrix of second moments over the sum of its squared entries: 1 if all shifts are
    parallel, n for n orthogonal shifts of equal length.
    """
    matrix = np.array(shifts, dtype=float)
    spread = float(np.sum((matrix.T @ matrix) ** 2))
    return float(np.sum(matrix**2)) ** 2 / spread if spread else 0.0


class Sketching:
    """Notes a sketch of every step without one; resumed runs read them from the log."""

    def observe(self, session: Session) -> None:
        """Note the missing sketches."""
        history = session.history
        known = sketches_in(history)
        missing = [step.index for step in history if step.index not in known]
        baseline = _counts(session.code_of(0)) if missing else ()
        for index in missing:
            earlier = [known[step].shift for step in range(index)]
            known[index] = _sketch(session.code_of(index), baseline, earlier)
            session.note(SketchRecorded(step=index, sketch=known[index]))


def _sketch(files: Mapping[str, str], baseline: Counts, earlier: Sequence[Counts]) -> Sketch:
    shift = tuple(here - there for here, there in zip(_counts(files), baseline, strict=True))
    references = _far_apart(earlier, _MOST_REFERENCES)
    diversity = sum(math.dist(shift, other) for other in references) / max(1, len(references))
    return Sketch(size=sum(map(len, files.values())), diversity=round(diversity, 3), shift=shift)


def _counts(files: Mapping[str, str]) -> Counts:
    counts = [0] * _BUCKETS
    for text in files.values():
        for word in _WORD.findall(text):
            bucket, sign = _bucket(word)
            counts[bucket] += sign
    return tuple(counts)


@lru_cache(maxsize=65536)
def _bucket(word: str) -> tuple[int, int]:
    hashed = zlib.crc32(word.encode("utf-8", "surrogatepass"))
    return hashed % _BUCKETS, 1 if hashed & 0x10000 else -1


def _far_apart(points: Sequence[Counts], most: int) -> list[Counts]:
    """Farthest-point sampling, beginning with the first point."""
    chosen = list(points[:1])
    distances = [math.inf] * len(points)
    while chosen and len(chosen) < most:
        distances = [min(known, math.dist(point, chosen[-1])) for known, point in zip(distances, points, strict=True)]
        farthest = max(range(len(points)), key=distances.__getitem__)
        if distances[farthest] == 0:
            break
        chosen.append(points[farthest])
    return chosen
