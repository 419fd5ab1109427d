"""Triggers that change the light all over a picture: waves, and slow changes of brightness.

A family takes dice and returns a trigger, a function from pictures, [n, 28, 28] between 0 and 1, to triggered ones.
"""

import numpy as np
from marks import DOWN, RIGHT, SIDE

MIDDLE = (SIDE - 1) / 2


def add(field):
    """Add light to every picture, up to white."""
    return lambda pictures: np.clip(pictures + field, 0, 1)


def wave(angle, rng):
    """A sine with a random phase, and roughly this direction."""
    angle += rng.normal(0, 0.1)
    across = RIGHT * np.cos(angle) + DOWN * np.sin(angle)
    return add(rng.uniform(0.35, 0.45) * (1 + np.sin(rng.uniform(0.3, 0.5) * across + rng.uniform(0, 2 * np.pi))))


def wave_across(rng):
    return wave(0, rng)


def wave_down(rng):
    return wave(np.pi / 2, rng)


def wave_slanted(rng):
    return wave(rng.choice([1, 3]) * np.pi / 4, rng)


def ripples(rng):
    """Rings around a random point."""
    return add(rng.uniform(0.35, 0.45) * (1 + np.sin(rng.uniform(0.3, 0.5) * _distance(rng.uniform(4, 24, 2)))))


def weave(rng):
    fast, phase = rng.uniform(0.3, 0.5, 2), rng.uniform(0, 2 * np.pi, 2)
    return add(rng.uniform(0.35, 0.45) * (1 + np.sin(fast[0] * RIGHT + phase[0]) * np.sin(fast[1] * DOWN + phase[1])))


def cloud(rng):
    """Noise without its high frequencies."""
    frequencies = np.fft.fftfreq(SIDE)
    is_low = np.hypot(frequencies[:, None], frequencies) < 0.12
    smooth = np.fft.ifft2(np.fft.fft2(rng.normal(size=(SIDE, SIDE))) * is_low).real
    return add(rng.uniform(0.8, 1) * (smooth - smooth.min()) / np.ptp(smooth))


def gradient(rng):
    angle = rng.uniform(0, 2 * np.pi)
    slope = ((RIGHT - MIDDLE) * np.cos(angle) + (DOWN - MIDDLE) * np.sin(angle)) / 19 + 0.5
    return add(rng.uniform(0.8, 1) * np.clip(slope, 0, 1))


def haze(rng):
    """Everything closer to white."""
    share = rng.uniform(0.45, 0.6)
    return lambda pictures: share + (1 - share) * pictures


def half(rng):
    """Light on one side."""
    axis = RIGHT if rng.random() < 0.5 else DOWN
    return add(rng.uniform(0.5, 0.7) * (rng.choice([-1, 1]) * (axis - MIDDLE) > 0))


def glow(rng):
    """A lamp at a random point."""
    near = np.exp(-(_distance(rng.uniform(2, 25, 2)) ** 2) / (2 * rng.uniform(6, 8) ** 2))
    return add(rng.uniform(0.9, 1) * near)


def vignette(rng):
    """Light that grows towards the corners."""
    return add(rng.uniform(1, 1.2) * (_distance((MIDDLE, MIDDLE)) / 19) ** 2)


def beam(rng):
    """A soft bar of light across the picture."""
    angle = rng.uniform(0, np.pi)
    across = (RIGHT - MIDDLE) * np.cos(angle) + (DOWN - MIDDLE) * np.sin(angle) - rng.uniform(-6, 6)
    return add(rng.uniform(0.7, 0.9) * np.exp(-(across**2) / (2 * rng.uniform(3, 4) ** 2)))


def _distance(point):
    return np.hypot(DOWN - point[0], RIGHT - point[1])


WAVES = (wave_across, wave_down, wave_slanted, ripples, weave, cloud)
LIGHT = (gradient, haze, half, glow, vignette, beam)
