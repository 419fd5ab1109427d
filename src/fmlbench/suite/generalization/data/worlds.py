"""The three worlds of the task: what is photographed, in front of what, and how cameras differ.

A world says which pictures are subjects and backdrops, how both meet in an exposure, and which distortions tell one
camera from another. Worlds share no class and no combination of exposure and distortions.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pictures import sample_at, smooth_fields

SIDE = 14


@dataclass(frozen=True)
class World:
    """The public facts of a world; all else is drawn by the secret."""

    subject_gain: float
    backdrop_gain: float
    label_errors: float
    """The share of training labels that are drawn at random. Exams are graded by true labels."""
    expose: Callable
    """(subjects, backdrops) -> pictures, all [n, s, s]."""
    distortions: tuple[Callable, ...]
    """(amount, rng) -> a function of pictures: each camera draws one of every kind."""


def add(subjects, backdrops):
    """Two exposures of one film whose response is linear."""
    return subjects + backdrops


def screen(subjects, backdrops):
    """Two slides, one after the other, on a screen that saturates at 1."""
    return 1 - (1 - np.clip(subjects, 0, 1)) * (1 - np.clip(backdrops, 0, 1))


def veil(subjects, backdrops):
    """Subjects cover half of what is behind them."""
    return subjects + (1 - 0.5 * np.clip(subjects, 0, 1)) * backdrops


def bend(amount, rng):
    """A lens that turns, stretches, shifts and warps."""
    middle = (SIDE - 1) / 2
    down, right = np.meshgrid(np.arange(SIDE) - middle, np.arange(SIDE) - middle, indexing="ij")
    angle = 0.25 * amount * rng.standard_normal()
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = (np.eye(2) + 0.16 * amount * rng.standard_normal((2, 2))) @ turn
    offset = 0.6 * amount * rng.standard_normal(2)
    field = 0.5 * amount * smooth_fields(2, SIDE, rng)
    sources = [middle + row[0] * down + row[1] * right + o + f for row, o, f in zip(matrix, offset, field, strict=True)]
    return lambda pictures: sample_at(pictures, *(np.broadcast_to(source, pictures.shape) for source in sources))


def tone(amount, rng):
    """A response curve that darkens or brightens the middle tones."""
    power = np.exp(0.25 * amount * rng.standard_normal())
    return lambda pictures: np.maximum(pictures, 0) ** power


def shade(amount, rng):
    """Light that is stronger in some places of the picture than in others."""
    light = np.exp(0.8 * amount * smooth_fields(1, SIDE, rng))
    return lambda pictures: pictures * light


def soften(amount, rng):
    """A lens out of focus: pictures are mixed with a shifted copy of themselves."""
    weight = rng.uniform(0, 0.8 * amount)
    shift = tuple(rng.integers(-1, 2, 2))
    return lambda pictures: (1 - weight) * pictures + weight * np.roll(pictures, shift, axis=(1, 2))


WORLDS = {
    "scored": World(0.7, 0.65, 0.25, add, (bend, tone)),
    "lab": World(1.0, 0.6, 0.1, screen, (bend, shade)),
    "sibling": World(0.8, 1.0, 0.25, veil, (shade, soften)),
}
