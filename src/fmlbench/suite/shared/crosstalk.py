"""Crosstalk: the elements of a sensor disturb each other, in a way that only the secret knows.

A sensor that is linear would leave moments of the pictures to align it by: directions of large kurtosis, or in which
two views agree. Here half of the elements adds waves of the other half to itself, and the other way round. Nothing is
lost, since each round could be undone by who knows its weights; moments, however, are now those of the waves.
"""

from dataclasses import dataclass

import numpy as np
from sensor import random_rotation

_ROUNDS = 2
_FREQUENCY = 1.5
_STRENGTH = 0.5
"""The waves' standard deviation, where that of each element is 1."""


@dataclass(frozen=True)
class Crosstalk:
    """A fixed, invertible map from vectors to vectors of the same size."""

    rounds: tuple
    """Of each round: a rotation of all elements, then frequencies, phases and directions of the waves."""
    mean: np.ndarray
    whitening: np.ndarray

    def disturb(self, vectors):
        """The vectors as they are read, white and rotated, as float32."""
        return ((_add_waves(vectors, self.rounds) - self.mean) @ self.whitening).astype(np.float32)


def make_crosstalk(vectors, rng):
    """Draw crosstalk, and make what becomes of these white vectors white again."""
    size = vectors.shape[1]
    rounds = tuple(_draw_round(size, rng) for _ in range(_ROUNDS))
    disturbed = _add_waves(vectors, rounds)
    variances, components = np.linalg.eigh(np.cov(disturbed, rowvar=False))
    whitening = components / np.sqrt(variances) @ random_rotation(size, rng)
    return Crosstalk(rounds, disturbed.mean(axis=0), whitening)


def _draw_round(size, rng):
    half = size // 2
    frequencies = _FREQUENCY * rng.standard_normal((half, half)) / np.sqrt(half)
    return random_rotation(size, rng), frequencies, rng.uniform(0, 2 * np.pi, half), random_rotation(half, rng)


def _add_waves(vectors, rounds):
    half = vectors.shape[1] // 2
    for rotation, frequencies, phases, directions in rounds:
        turned = vectors @ rotation
        kept, changed = turned[:, :half], turned[:, half:]
        waves = np.sqrt(2) * np.sin(kept @ frequencies + phases) @ directions
        vectors = np.concatenate([changed + _STRENGTH * waves, kept], axis=1)
    return vectors
