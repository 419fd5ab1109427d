"""Sketches: small numeric summaries of a step's code for strategies, stored as notes.

A sketch is a count sketch of the code's tokens: a hash chooses the bucket and the sign of each. Distances between
sketches approximate distances between token counts, and are the same on every machine.
"""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from fmlbench.core.record import Record
from fmlbench.core.steps import History

SKETCH = "sketch"
"""The kind of note that contains a sketch."""


class Sketch(Record):
    """A numeric summary of a step's code."""

    size: int
    """Characters in all editable files."""
    diversity: float
    """The mean distance from a few earlier steps that are far apart."""
    shift: tuple[int, ...]
    """The counts minus those of the baseline."""

    @cached_property
    def distance(self) -> float:
        """The distance from the baseline."""
        return math.hypot(*self.shift)


def sketches_in(history: History) -> dict[int, Sketch]:
    """The sketches on record, by step."""
    return {note.step: _read(note.text) for note in history.notes if note.kind == SKETCH}


def effective_dimension(shifts: Sequence[Sequence[float]]) -> float:
    """The effective dimension of moves away from the baseline: the participation ratio of the shifts.

    It is the squared trace of the matrix of second moments over the sum of its squared entries: 1 if all shifts are
    parallel, n for n orthogonal shifts of equal length.
    """
    matrix = np.array(shifts, dtype=float)
    spread = float(np.sum((matrix.T @ matrix) ** 2))
    return float(np.sum(matrix**2)) ** 2 / spread if spread else 0.0


# A search reads the same sketches at every step.
@lru_cache(maxsize=4096)
def _read(text: str) -> Sketch:
    return Sketch.model_validate_json(text)
