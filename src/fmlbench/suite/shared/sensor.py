"""A secret sensor: pictures become vectors whose axes only the secret knows.

A sensor projects pictures on the leading principal components of one sample, gives all components the same variance and
rotates them at random. Second moments of what it reads are those of white noise, so they say nothing about the
rotation. Methods that do not care about the direction of axes (networks with random weights, kernels, linear models)
learn as well as without it. Weights or tables that were made elsewhere do not fit, because the rotation is drawn by
the secret for every sample.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sensor:
    """A fixed map from pictures, [n, s, s], to vectors, [n, size]."""

    mean: np.ndarray
    matrix: np.ndarray
    """[s * s, size]: projection, equal gains and rotation in one."""

    def read(self, pictures):
        """Vectors of pictures, as float32."""
        flat = np.asarray(pictures, dtype=np.float32).reshape(len(pictures), -1)
        return ((flat - self.mean) @ self.matrix).astype(np.float32)


def make_sensor(pictures, size, rng, *, equalise=1.0):
    """Fit a sensor to pictures of a sample and rotate it by ``rng``.

    ``equalise`` is the power of the gains' correction: 1 makes the vectors white, 0 keeps the variances of the
    principal components, whose order could then give the rotation away.
    """
    flat = np.asarray(pictures, dtype=np.float64).reshape(len(pictures), -1)
    mean = flat.mean(axis=0)
    variances, components = np.linalg.eigh(np.cov(flat - mean, rowvar=False))
    variances, components = variances[::-1][:size], components[:, ::-1][:, :size]
    gains = np.maximum(variances, 1e-9) ** (-equalise / 2)
    matrix = (components * gains) @ random_rotation(size, rng)
    return Sensor(mean.astype(np.float32), matrix.astype(np.float32))


def random_rotation(size, rng):
    """A matrix drawn uniformly from all orthogonal ones."""
    q, r = np.linalg.qr(rng.standard_normal((size, size)))
    return q * np.sign(np.diag(r))
