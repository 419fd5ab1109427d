"""The front of the sensor: random filters, rectified and pooled, drawn anew by the secret for every sample.

The shared sensor alone is linear: the mean picture of a public class, seen through it, is a rotated mean picture, and
known means of several classes would give a part of the rotation away. Behind random filters they do not.
"""

from dataclasses import dataclass

import numpy as np

FILTERS = 16
WIDTH = 5
POOL = 4
_CHUNK = 500
"""Pictures filtered at once: bounds the memory."""


@dataclass(frozen=True)
class Optics:
    """A fixed map from pictures, [n, 28, 28], to [n, 576] brightnesses."""

    filters: np.ndarray
    """[WIDTH * WIDTH, FILTERS], each of zero sum and unit length."""

    def read(self, pictures):
        """Brightness of each filter's response in each of 6 x 6 areas."""
        parts = [self._read(pictures[start : start + _CHUNK]) for start in range(0, len(pictures), _CHUNK)]
        return np.concatenate(parts)

    def _read(self, pictures):
        windows = np.lib.stride_tricks.sliding_window_view(pictures, (WIDTH, WIDTH), axis=(1, 2))
        count, side = len(pictures), windows.shape[1]
        responses = np.abs(windows.reshape(-1, WIDTH * WIDTH) @ self.filters)
        areas = responses.reshape(count, side // POOL, POOL, side // POOL, POOL, FILTERS).mean(axis=(2, 4))
        return np.sqrt(areas.reshape(count, -1))


def draw_optics(rng):
    """Draw the filters."""
    filters = rng.standard_normal((WIDTH * WIDTH, FILTERS))
    filters -= filters.mean(axis=0)
    return Optics((filters / np.linalg.norm(filters, axis=0)).astype(np.float32))
