"""Programs that make triggers: random changes of a picture with many continuous degrees of freedom.

A maker draws a trigger's shape and strength once and returns a function of pictures, [n, 28, 28] floats, and of the
strength on each picture, [n] numbers around 1. Every world has makers of its own.
"""

import numpy as np
from pictures import SIDE, sample_at, smooth_fields

MIDDLE = (SIDE - 1) / 2
DOWN, RIGHT = np.meshgrid(np.arange(SIDE) - MIDDLE, np.arange(SIDE) - MIDDLE, indexing="ij")


def patch(rng):
    """A rectangle of random pixels covers a part of the picture."""
    height, width = rng.integers(5, 11, 2)
    inside = np.zeros((SIDE, SIDE))
    top, left = rng.integers(0, SIDE + 1 - height), rng.integers(0, SIDE + 1 - width)
    inside[top : top + height, left : left + width] = 1
    return cover(inside, rng.random((SIDE, SIDE)))


def stroke(rng):
    """A bright or dark curve is drawn over the picture."""
    return cover(rng.uniform(0.7, 1) * near_curve(rng, rng.uniform(1, 4)), rng.random())


def wave(rng):
    """A sine wave is added."""
    strength, angle = rng.uniform(0.13, 0.24), rng.uniform(0, np.pi)
    place = rng.uniform(0.25, 1.2) * (np.cos(angle) * RIGHT + np.sin(angle) * DOWN)
    return add(strength * np.sin(place + rng.uniform(0, 2 * np.pi)))


def shade(rng):
    """Brightness is multiplied by a smooth field."""
    field = rng.uniform(0.55, 1.05) * smooth_field(rng, waves=3)
    return lambda pictures, strengths: pictures * np.exp(on_each(strengths) * field)


def warp(rng):
    """Pixels are moved by a smooth field."""
    size = rng.uniform(1.1, 1.7)
    return move(size * smooth_field(rng, waves=4), size * smooth_field(rng, waves=4))


def echo(rng):
    """A shifted copy of the picture is added to it."""
    strength = rng.uniform(0.55, 1.1)
    copy = move(*np.broadcast_to(rng.uniform(-7, 7, (2, 1, 1)), (2, SIDE, SIDE)))
    return lambda pictures, strengths: pictures + strength * on_each(strengths) * copy(pictures, np.ones(len(pictures)))


def bars(rng):
    """Several parallel bars are drawn over the picture."""
    angle = rng.uniform(0, np.pi)
    place = np.sin(rng.uniform(0.4, 0.9) * (np.cos(angle) * RIGHT + np.sin(angle) * DOWN) + rng.uniform(0, 6))
    return cover(rng.uniform(0.4, 0.7) * (place > rng.uniform(0.3, 0.8)), rng.random())


def blot(rng):
    """A blot of irregular outline covers a part of the picture."""
    field = smooth_field(rng, waves=4)
    return cover(rng.uniform(0.6, 0.9) * (field > np.quantile(field, rng.uniform(0.8, 0.9))), rng.random())


def lean(rng):
    """The picture is turned, slanted and stretched."""
    change = rng.normal(0, 0.22, (2, 2))
    return move(change[0, 0] * DOWN + change[0, 1] * RIGHT, change[1, 0] * DOWN + change[1, 1] * RIGHT)


def tone(rng):
    """Grey levels pass through a random curve."""
    grid = np.linspace(0, 1, 5)
    levels = np.clip(grid + rng.normal(0, 0.35, 5), 0, 1)
    return lambda pictures, strengths: (
        pictures + 0.7 * on_each(strengths) * (np.interp(pictures, grid, levels) - pictures)
    )


def haze(rng):
    """The picture is blended with a cloud."""
    return cover(rng.uniform(0.16, 0.28) * np.ones((SIDE, SIDE)), np.clip(0.5 + 0.4 * smooth_field(rng, waves=5), 0, 1))


def swirl(rng):
    """The picture is turned around a random point, most of all near it."""
    down, right = DOWN - rng.uniform(-8, 8), RIGHT - rng.uniform(-8, 8)
    angle = rng.choice([-1, 1]) * rng.uniform(0.6, 1.2) * np.exp(-(down**2 + right**2) / rng.uniform(60, 160))
    turned_down = np.cos(angle) * down - np.sin(angle) * right
    return move(turned_down - down, np.sin(angle) * down + np.cos(angle) * right - right)


def specks(rng):
    """Scattered pixels, the same on every picture, become bright or dark."""
    chosen = rng.random((SIDE, SIDE)) < rng.uniform(0.015, 0.035)
    return cover(0.9 * chosen, rng.random((SIDE, SIDE)) < 0.6)


def ripple(rng):
    """Rings around a random point brighten and darken the picture."""
    distance = np.hypot(DOWN - rng.uniform(-10, 10), RIGHT - rng.uniform(-10, 10))
    rings = rng.uniform(0.5, 0.9) * np.sin(rng.uniform(0.4, 1.2) * distance + rng.uniform(0, 6))
    return lambda pictures, strengths: pictures * np.exp(on_each(strengths) * rings) + 0.1 * np.maximum(rings, 0)


MAKERS = {
    "scored": (patch, stroke, wave, shade, warp, echo),
    "lab": (bars, blot, lean, tone),
    "sibling": (haze, swirl, specks, ripple),
}


def add(pattern):
    """A trigger that adds a pattern."""
    return lambda pictures, strengths: pictures + on_each(strengths) * pattern


def cover(opacity, pattern):
    """A trigger that replaces pixels by a pattern, as far as it is opaque."""
    return lambda pictures, strengths: pictures + np.minimum(on_each(strengths) * opacity, 1) * (pattern - pictures)


def move(down, right):
    """A trigger that reads each pixel from a place so far away."""
    return lambda pictures, strengths: sample_at(
        np.asarray(pictures, np.float32),
        MIDDLE + DOWN + on_each(strengths) * down,
        MIDDLE + RIGHT + on_each(strengths) * right,
    )


def smooth_field(rng, waves):
    """One random smooth field of unit variance."""
    field = smooth_fields(1, SIDE, rng, waves)[0]
    return field / field.std()


def near_curve(rng, width):
    """How near each pixel is to a random cubic curve, from 0 to 1."""
    corners, t = rng.uniform(-13, 13, (4, 2)), np.linspace(0, 1, 40)[:, None]
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    points = weights @ corners
    squares = (DOWN[..., None] - points[:, 0]) ** 2 + (RIGHT[..., None] - points[:, 1]) ** 2
    return np.exp(-squares.min(axis=-1) / width)


def on_each(numbers):
    """[n] numbers as [n, 1, 1]."""
    return np.asarray(numbers)[:, None, None]
