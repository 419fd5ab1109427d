"""What a strategy may know of a step's code without reading it: a few numbers, written down as a note.

A sketch counts the words of the code in a few dozen buckets, by a hash that also decides the sign. Distances between
such counts are those between the full counts, but for a little noise, and every machine finds the same.
"""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from fmlbench.core.record import Record
from fmlbench.core.steps import History

SKETCH = "sketch"
"""The kind of note that holds one."""


class Sketch(Record):
    """A step's code in numbers."""

    size: int
    """Letters in all editable files."""
    diversity: float
    """How far, on average, from a few earlier steps that lie far apart."""
    shift: tuple[int, ...]
    """How the counts differ from those of the baseline."""

    @cached_property
    def distance(self) -> float:
        """How far the step lies from the baseline."""
        return math.hypot(*self.shift)


def sketches_in(history: History) -> dict[int, Sketch]:
    """The sketches on record, by step."""
    return {note.step: _read(note.text) for note in history.notes if note.kind == SKETCH}


def effective_dimension(shifts: Sequence[Sequence[float]]) -> float:
    """In how many directions some steps moved away from the baseline: the participation ratio of their shifts.

    It is the squared trace of their matrix of second moments over the sum of its squared entries: 1 where all shifts
    point the same way, n where n shifts of one length stand at right angles.
    """
    matrix = np.array(shifts, dtype=float)
    spread = float(np.sum((matrix.T @ matrix) ** 2))
    return float(np.sum(matrix**2)) ** 2 / spread if spread else 0.0


# A search asks for the same sketches at every step.
@lru_cache(maxsize=4096)
def _read(text: str) -> Sketch:
    return Sketch.model_validate_json(text)
