"""The protected family of networks in NumPy: unpack one from the numbers that were handed in, and run it.

    layers, width, normalised, then for each layer: weights [out, in], biases [out]
                                    and for each hidden layer, where normalised: scale [width], shift [width]

Whatever follows is padding.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

READINGS = 64
CLASSES = 10
MOST_LAYERS = 1
MOST_WIDTH = 256
LARGEST_WEIGHT = 1e4
EPSILON = 1e-5
"""What PyTorch's layer normalisation adds to variances."""


class Unusable(Exception):
    """These numbers are no network of the family."""


@dataclass(frozen=True)
class Network:
    """A perceptron in evaluation mode."""

    linear: list
    """Weights and biases of every layer."""
    norm: list
    """Scales and shifts of every hidden layer, if it is normalised."""

    def __call__(self, vectors):
        """Scores, [n, 10], of [n, 64] vectors."""
        values = vectors
        *hidden, (weights, biases) = self.linear
        for number, layer in enumerate(hidden):
            values = values @ layer[0].T + layer[1]
            if self.norm:
                values = normalise(values, *self.norm[number])
            values = np.maximum(values, 0)
        # Without what all classes have in common: a large common bias would round the differences away.
        return values @ (weights - weights.mean(axis=0)).T + (biases - biases.mean())


def normalise(values, scale, shift):
    """Layer normalisation: every row gets mean 0 and variance 1, then scale and shift."""
    centred = values - values.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON) * scale + shift


def unpack(row):
    """The network in a row of numbers."""
    layers, width, normalised = read_configuration(row[:3])
    sizes = [READINGS, *[width] * layers, CLASSES]
    shapes = [shape for pair in pairwise(sizes) for shape in ((pair[1], pair[0]), (pair[1],))]
    shapes += [(width,)] * (2 * layers if normalised else 0)
    rest = np.asarray(row[3:], dtype=np.float64)
    if len(rest) < sum(int(np.prod(shape)) for shape in shapes):
        raise Unusable(f"{len(rest)} weights are too few for {layers} hidden layers of {width} units")
    if np.abs(rest).max() > LARGEST_WEIGHT:
        raise Unusable(f"a weight is larger than {LARGEST_WEIGHT:g}")
    arrays = []
    for shape in shapes:
        size = int(np.prod(shape))
        arrays.append(rest[:size].reshape(shape))
        rest = rest[size:]
    pairs = list(zip(arrays[::2], arrays[1::2], strict=True))
    return Network(linear=pairs[: layers + 1], norm=pairs[layers + 1 :])


def read_configuration(numbers):
    """Layers, width and whether they are normalised, if these are within the family's bounds."""
    if len(numbers) < 3 or not (np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()):
        raise Unusable("a network begins with three whole numbers: layers, width, normalised")
    layers, width, normalised = (int(number) for number in numbers)
    if not (0 <= layers <= MOST_LAYERS and 1 <= width <= MOST_WIDTH and normalised in (0, 1)):
        raise Unusable(f"{layers} hidden layers of {width} units, normalised {normalised}: not in the family")
    return layers, width, bool(normalised)
