"""Sketches: small numeric summaries of a step's code for strategies, stored as notes.

A sketch is a count sketch of the code's tokens: a hash chooses the bucket and the sign of each. Distances between
sketches approximate distances between token counts, and are the same on every machine.
"""

from collections.abc import Sequence

import numpy as np

from fmlbench.core.notes import Sketch, SketchRecorded
from fmlbench.core.steps import History


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
