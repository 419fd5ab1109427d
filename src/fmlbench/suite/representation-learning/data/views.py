"""Render a view of each picture: the same thing, as it could have been seen in another moment.

How strong each disturbance is, a sample decides by its seed (`draw_program`); how it falls out, every view by itself.
"""

from dataclasses import dataclass

import numpy as np
from pictures import rerender, smooth_fields

_SPREAD = 0.1
"""Strengths differ from sample to sample by up to this share."""


@dataclass(frozen=True)
class Program:
    """How strong each disturbance of a sample is."""

    pose: dict
    """Arguments of `rerender`."""
    clutter: float
    """The largest brightness of another view behind the thing."""
    ground: float
    """The largest standard deviation of a smooth background."""
    cover: float
    """The largest radius of a disc that covers a part, in pixels."""
    noise: float
    """The standard deviation of each pixel's noise."""


def draw_program(rng):
    """Draw the strengths of a sample."""

    def about(value):
        return float(value * rng.uniform(1 - _SPREAD, 1 + _SPREAD))

    pose = {"turn": 0.09, "scale": 0.06, "shear": 0.06, "shift": 1.5, "warp": 0.5, "pen": 0.5, "gain": 0.2}
    pose = {name: about(value) for name, value in pose.items()}
    return Program(pose | {"noise": 0.0}, clutter=about(0.3), ground=about(0.1), cover=about(5.0), noise=about(0.05))


def render_views(pictures, program, rng):
    """One view of each of [n, 28, 28] pictures, as floats.

    Every other view is a negative, dark on bright. Means over views then say nothing about the thing.
    """
    count, side = pictures.shape[:2]
    views = rerender(pictures, rng, **program.pose)
    clutter = program.clutter * _per_view(rng.uniform(0, 1, count)) * move_about(rng.permutation(views), rng)
    ground = program.ground * _per_view(rng.uniform(0, 1, count)) * smooth_fields(count, side, rng, waves=5)
    views = cover_a_part(np.maximum(views, clutter) + ground, program.cover, rng)
    negative = _per_view(rng.choice([-1.0, 1.0], count))
    return (negative * views + program.noise * rng.standard_normal(views.shape)).astype(np.float32)


def move_about(views, rng):
    """Shift each view by any distance, round the edge, and mirror it or not."""
    count, side = views.shape[:2]
    start, step = rng.integers(side, size=(2, count, 1)), rng.choice([-1, 1], (2, count, 1))
    down, right = (start + step * np.arange(side)) % side
    return views[np.arange(count)[:, None, None], down[:, :, None], right[:, None, :]]


def cover_a_part(views, largest_radius, rng):
    """Lay a disc of a random size, place and brightness over each view."""
    count, side = views.shape[:2]
    down, right = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    middle_down, middle_right = (_per_view(rng.uniform(1, side - 2, count)) for _ in range(2))
    radius = _per_view(rng.uniform(0, largest_radius, count))
    is_covered = (down - middle_down) ** 2 + (right - middle_right) ** 2 < radius**2
    return np.where(is_covered, _per_view(rng.uniform(-0.2, 0.8, count)), views)


def _per_view(values):
    return values[:, None, None]
