"""Equalise the response of a sensor: no single direction of its readings has a telling distribution.

The readings of a linear sensor are white, but some of their directions are far from normal, and independent component
analysis finds these directions whatever the rotation. Whoever knows the public drawings could align the sensor by them.
So the readings are turned to their independent components and each component is mapped to a normal distribution by its
quantiles. The map is smooth and monotone in each component, so little is lost for a learner.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

KNOTS = 64
"""Quantiles that a curve is interpolated between."""
ITERATIONS = 25
"""Of independent component analysis; the components that are far from normal converge first."""
STEEPEST = 1.0
FLATTEST = 0.2
"""Slopes beyond the outermost quantiles, so that outliers stay finite and in order."""


@dataclass(frozen=True)
class Response:
    """A fixed map of readings, [n, size], to readings of the same size."""

    mean: np.ndarray
    components: np.ndarray
    """[size, size]: turns centred readings to their independent components, with unit variance."""
    quantiles: np.ndarray
    """[KNOTS, size]: of each component."""
    whitening: np.ndarray
    """[size, size]: takes away the small correlations that the curves leave."""

    def apply(self, readings):
        """White readings whose independent components are about normal."""
        return _bend_all((readings - self.mean) @ self.components, self.quantiles) @ self.whitening


def fit_response(readings, rng):
    """Fit a response to readings of one sample."""
    mean = readings.mean(axis=0, dtype=np.float64)
    whitening = _whitening(readings - mean)
    components = whitening @ independent_components((readings - mean) @ whitening, rng)
    turned = (readings - mean) @ components
    quantiles = np.quantile(turned, _shares(), axis=0)
    return Response(mean, components, quantiles, _whitening(_bend_all(turned, quantiles)))


def independent_components(white, rng):
    """Symmetric FastICA (Hyvarinen 1999) with tanh: a rotation whose columns are the components."""
    rotation = np.linalg.qr(rng.standard_normal((white.shape[1], white.shape[1])))[0]
    for _ in range(ITERATIONS):
        bent = np.tanh(white @ rotation)
        rotation = white.T @ bent / len(white) - rotation * (1 - bent**2).mean(axis=0)
        left, _, right = np.linalg.svd(rotation)
        rotation = left @ right
    return rotation


def _whitening(readings):
    variances, axes = np.linalg.eigh(np.cov(readings, rowvar=False))
    return (axes / np.sqrt(variances)) @ axes.T


def _shares():
    return (np.arange(KNOTS) + 0.5) / KNOTS


def _bend_all(turned, quantiles):
    return np.stack([_bend(column, knots) for column, knots in zip(turned.T, quantiles.T, strict=True)], axis=1)


def _bend(column, knots):
    """Map quantiles to those of the normal distribution; straight lines continue the curve at both ends."""
    normal = np.array([NormalDist().inv_cdf(share) for share in _shares()])
    first, last = (np.diff(normal) / np.diff(knots))[[0, -1]].clip(FLATTEST, STEEPEST)
    bent = np.interp(column, knots, normal)
    bent += first * np.minimum(column - knots[0], 0)
    return bent + last * np.maximum(column - knots[-1], 0)
