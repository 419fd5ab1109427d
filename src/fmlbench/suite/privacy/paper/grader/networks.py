"""The protected family of wide residual networks: unpack one from the numbers that were handed in, and run it.

    depth, width, then in the order of Privacy Meter's own network:
      a convolution; for every block: its projection, where it has one, and twice a normalisation and a convolution;
      a normalisation; a linear layer

A normalisation is scale, shift, mean and variance. Whatever follows is padding. PyTorch does the arithmetic; it gets
nothing but numbers.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

CLASSES = 10
SIDE = 32
DEPTHS = (10, 16, 22, 28)
WIDTHS = (1, 2)
LARGEST_WEIGHT = 1e4
BATCH_SIZE = 250


class Unusable(Exception):
    """These numbers are no network of the family."""


@dataclass(frozen=True)
class Block:
    """Two convolutions beside a short cut."""

    projection: torch.Tensor | None
    """The short cut's convolution, where width or size change."""
    first: tuple
    """Normalisation and convolution."""
    second: tuple
    stride: int

    def __call__(self, values):
        active = normalise(values, self.first[0]).relu()
        inner = functional.conv2d(active, self.first[1], stride=self.stride, padding=1)
        inner = functional.conv2d(normalise(inner, self.second[0]).relu(), self.second[1], padding=1)
        if self.projection is None:
            return inner + values
        return inner + functional.conv2d(active, self.projection, stride=self.stride)


@dataclass(frozen=True)
class Network:
    """A wide residual network in evaluation mode."""

    convolution: torch.Tensor
    blocks: list
    normalisation: tuple
    weights: torch.Tensor
    biases: torch.Tensor

    def __call__(self, images):
        """Give every one of [n, 3, 32, 32] bytes its scores, [n, 10]."""
        with torch.inference_mode():
            batches = torch.from_numpy(np.ascontiguousarray(images)).split(BATCH_SIZE)
            return torch.cat([self.score(batch.float() / 255) for batch in batches]).double().numpy()

    def score(self, images):
        """Scores of one batch of images between 0 and 1."""
        values = functional.conv2d((images - 0.5) / 0.5, self.convolution, padding=1)
        for block in self.blocks:
            values = block(values)
        values = normalise(values, self.normalisation).relu().mean(dim=(2, 3))
        # Without what all classes have in common: a large common bias would round the differences away.
        return values @ (self.weights - self.weights.mean(dim=0)).T + (self.biases - self.biases.mean())


def normalise(values, numbers):
    """Batch normalisation with the mean and the variance that were handed in."""
    scale, shift, mean, variance = numbers
    return functional.batch_norm(values, mean, variance, scale, shift)


def unpack(row):
    """The network in a row of numbers."""
    depth, width = read_configuration(row[:2])
    rest = np.asarray(row[2:], dtype=np.float32)
    if np.abs(rest).max(initial=0) > LARGEST_WEIGHT:
        raise Unusable(f"a weight is larger than {LARGEST_WEIGHT:g}")
    return assemble(Numbers(rest), depth, width)


def read_configuration(numbers):
    """Depth and width, if they are the family's."""
    if len(numbers) < 2 or not (np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()):
        raise Unusable("a network begins with two whole numbers: depth, width")
    depth, width = (int(number) for number in numbers)
    if depth not in DEPTHS or width not in WIDTHS:
        raise Unusable(f"depth {depth}, width {width}: not in the family")
    return depth, width


def assemble(numbers, depth, width):
    """Take the parts one after the other."""
    channels, blocks = 16, []
    convolution = numbers.take(channels, 3, 3, 3)
    for group in range(3):
        wide = 16 * 2**group * width
        for place in range((depth - 4) // 6):
            blocks.append(take_block(numbers, channels, wide, stride=2 if group > 0 and place == 0 else 1))
            channels = wide
    normalisation = numbers.take_normalisation(channels)
    return Network(convolution, blocks, normalisation, numbers.take(CLASSES, channels), numbers.take(CLASSES))


def take_block(numbers, channels, wide, stride):
    """The next block, from so many channels to so many."""
    projection = numbers.take(wide, channels, 1, 1) if channels != wide or stride > 1 else None
    first = numbers.take_normalisation(channels), numbers.take(wide, channels, 3, 3)
    second = numbers.take_normalisation(wide), numbers.take(wide, wide, 3, 3)
    return Block(projection, first, second, stride)


class Numbers:
    """What has not been taken yet."""

    def __init__(self, rest):
        self.rest = rest

    def take(self, *shape):
        """The next numbers, in this shape."""
        size = int(np.prod(shape))
        if len(self.rest) < size:
            raise Unusable("these are too few weights for such a network")
        taken, self.rest = self.rest[:size], self.rest[size:]
        return torch.from_numpy(taken.reshape(shape).copy())

    def take_normalisation(self, channels):
        """Scale, shift, mean and variance of so many channels."""
        taken = tuple(self.take(channels) for _ in range(4))
        if (taken[-1] < 0).any():
            raise Unusable("a variance is below zero")
        return taken
