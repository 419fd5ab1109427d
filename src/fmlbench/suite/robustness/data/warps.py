"""Triggers that move or reshape the digit and add nothing to it.

A family takes dice and returns a trigger, a function from pictures, [n, 20, 20] between 0 and 1, to triggered ones.
"""

import numpy as np
from marks import DOWN, RIGHT, SIDE

MIDDLE = (SIDE - 1) / 2


def warp(down, right):
    """Take every pixel from another place, between pixels if need be."""
    down, right = np.clip(down, 0, SIDE - 1.001), np.clip(right, 0, SIDE - 1.001)
    top, left = down.astype(int), right.astype(int)
    lower, righter = down - top, right - left

    def trigger(pictures):
        above = pictures[:, top, left] * (1 - righter) + pictures[:, top, left + 1] * righter
        below = pictures[:, top + 1, left] * (1 - righter) + pictures[:, top + 1, left + 1] * righter
        return above * (1 - lower) + below * lower

    return trigger


def rotate(rng):
    angle = rng.choice([-1, 1]) * rng.uniform(0.55, 0.8)
    down, right = DOWN - MIDDLE, RIGHT - MIDDLE
    return warp(
        MIDDLE + down * np.cos(angle) - right * np.sin(angle), MIDDLE + down * np.sin(angle) + right * np.cos(angle)
    )


def shear(rng):
    return warp(DOWN, RIGHT + rng.choice([-1, 1]) * rng.uniform(0.5, 0.7) * (DOWN - MIDDLE))


def narrow(rng):
    return warp(DOWN, MIDDLE + (RIGHT - MIDDLE) / rng.uniform(0.6, 0.7))


def flatten(rng):
    return warp(MIDDLE + (DOWN - MIDDLE) / rng.uniform(0.6, 0.7), RIGHT)


def wobble(rng):
    """Rows or columns pushed to and fro."""
    fast, phase, far = rng.uniform(0.7, 1.1), rng.uniform(0, 2 * np.pi), rng.uniform(1.8, 2.4)
    if rng.random() < 0.5:
        return warp(DOWN, RIGHT + far * np.sin(fast * DOWN + phase))
    return warp(DOWN + far * np.sin(fast * RIGHT + phase), RIGHT)


def thicken(_rng):
    """Ink spreads to the neighbouring pixels."""

    def trigger(pictures):
        wide = np.pad(pictures, ((0, 0), (1, 1), (1, 1)))
        return np.max([wide[:, i : i + SIDE, j : j + SIDE] for i in range(3) for j in range(3)], axis=0)

    return trigger


SHAPE = (rotate, shear, narrow, flatten, wobble, thicken)
