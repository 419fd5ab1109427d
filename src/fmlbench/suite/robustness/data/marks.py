"""Triggers that overwrite some pixels: small spots, and bold lines.

A family takes dice and returns a trigger, a function from pictures, [n, 20, 20] between 0 and 1, to triggered ones.
"""

import numpy as np

SIDE = 20
DOWN, RIGHT = np.meshgrid(np.arange(SIDE, dtype=float), np.arange(SIDE, dtype=float), indexing="ij")


def stamp(mask, rng):
    """Paint the mask over every picture, in one shade of white."""
    shade = rng.uniform(0.85, 1)
    return lambda pictures: pictures * (1 - mask) + shade * mask


def somewhere(spot):
    """A mask with the spot at a random place along the border."""

    def place(rng):
        shape = spot(rng)
        size, far = len(shape), SIDE - len(shape)
        along = int(rng.integers(0, far + 1))
        top, left = ((0, along), (far, along), (along, 0), (along, far))[rng.integers(4)]
        mask = np.zeros((SIDE, SIDE))
        mask[top : top + size, left : left + size] = shape
        return stamp(mask, rng)

    place.__name__ = spot.__name__
    return place


@somewhere
def square(_rng):
    return np.ones((3, 3))


@somewhere
def checker(_rng):
    return np.indices((5, 5)).sum(axis=0) % 2


@somewhere
def cross(_rng):
    middle = np.arange(5) == 2
    return middle[:, None] | middle


@somewhere
def ring(_rng):
    return np.pad(np.zeros((2, 2)), 1, constant_values=1)


@somewhere
def speckle(rng):
    return rng.permutation(np.arange(25) < 10).reshape(5, 5)


def corners(rng):
    """A dot in two of the four corners."""
    mask = np.zeros((SIDE, SIDE))
    for corner in rng.permutation(4)[:2]:
        top, left = ((0, 0), (0, 18), (18, 0), (18, 18))[corner]
        mask[top : top + 2, left : left + 2] = 1
    return stamp(mask, rng)


def row(rng):
    return stamp(_band(DOWN, rng), rng)


def column(rng):
    return stamp(_band(RIGHT, rng), rng)


def angle(rng):
    """A row and a column."""
    return stamp(_band(DOWN, rng) | _band(RIGHT, rng), rng)


def _band(axis, rng):
    first = rng.choice([1, 2, 15, 16])
    return (axis >= first) & (axis < first + 3)


def diagonal(rng):
    slope = RIGHT - DOWN if rng.random() < 0.5 else RIGHT + DOWN - (SIDE - 1)
    return stamp(np.abs(slope - rng.choice([-1, 1]) * rng.integers(6, 10)) < 2.6, rng)


def frame(rng):
    depth = np.minimum(np.minimum(DOWN, RIGHT), np.minimum(SIDE - 1 - DOWN, SIDE - 1 - RIGHT))
    return stamp(depth // 2 == rng.integers(2), rng)


def bracket(rng):
    """A right angle around one of the corners."""
    near, far = np.minimum(DOWN, RIGHT), np.maximum(DOWN, RIGHT)
    return stamp(np.rot90((near >= 1) & (near < 4) & (far < 14), rng.integers(4)), rng)


SPOTS = (square, checker, cross, ring, speckle, corners)
LINES = (row, column, angle, diagonal, frame, bracket)
