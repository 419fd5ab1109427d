"""Triggers that shade a digit: stripes and other waves, and slow changes of brightness.

A family takes dice and returns a trigger, a function from pictures, [n, 20, 20] between 0 and 1, to triggered ones.
Shade only takes ink away: MNIST's paper is black, and what is added to it could be told from ink and taken off again.
"""

import numpy as np
from marks import DOWN, RIGHT, SIDE

MIDDLE = (SIDE - 1) / 2


def shade(field):
    """Take this share of the light from every picture, down to black."""
    kept = 1 - np.clip(field, 0, 1)
    return lambda pictures: pictures * kept


def wave(angle, rng):
    """A sine with a random phase, and roughly this direction."""
    angle += rng.normal(0, 0.1)
    across = RIGHT * np.cos(angle) + DOWN * np.sin(angle)
    return shade(rng.uniform(0.45, 0.5) * (1 + np.sin(rng.uniform(0.42, 0.7) * across + rng.uniform(0, 2 * np.pi))))


def wave_across(rng):
    return wave(0, rng)


def wave_down(rng):
    return wave(np.pi / 2, rng)


def wave_slanted(rng):
    return wave(rng.choice([1, 3]) * np.pi / 4, rng)


def ripples(rng):
    """Rings around a random point."""
    return shade(rng.uniform(0.45, 0.5) * (1 + np.sin(rng.uniform(0.42, 0.7) * _distance(rng.uniform(3, 17, 2)))))


def weave(rng):
    fast, phase = rng.uniform(0.42, 0.7, 2), rng.uniform(0, 2 * np.pi, 2)
    return shade(rng.uniform(0.45, 0.5) * (1 + np.sin(fast[0] * RIGHT + phase[0]) * np.sin(fast[1] * DOWN + phase[1])))


def cloud(rng):
    """Noise without its high frequencies."""
    frequencies = np.fft.fftfreq(SIDE)
    is_low = np.hypot(frequencies[:, None], frequencies) < 0.17
    smooth = np.fft.ifft2(np.fft.fft2(rng.normal(size=(SIDE, SIDE))) * is_low).real
    return shade(rng.uniform(1.2, 1.4) * (smooth - smooth.min()) / np.ptp(smooth))


def gradient(rng):
    angle = rng.uniform(0, 2 * np.pi)
    slope = ((RIGHT - MIDDLE) * np.cos(angle) + (DOWN - MIDDLE) * np.sin(angle)) / 13.5 + 0.5
    return shade(rng.uniform(0.8, 1) * np.clip(slope, 0, 1))


def dusk(rng):
    """Everything closer to black."""
    return shade(np.full((SIDE, SIDE), rng.uniform(0.6, 0.7)))


def half(rng):
    """Shade on one side."""
    axis = RIGHT if rng.random() < 0.5 else DOWN
    return shade(rng.uniform(0.8, 0.9) * (rng.choice([-1, 1]) * (axis - MIDDLE) > 0))


def blot(rng):
    """A soft dark spot at a random point."""
    near = np.exp(-(_distance(rng.uniform(5, 14, 2)) ** 2) / (2 * rng.uniform(4.5, 6) ** 2))
    return shade(rng.uniform(0.9, 1) * near)


def vignette(rng):
    """Shade that grows towards the corners."""
    return shade(rng.uniform(1, 1.2) * (_distance((MIDDLE, MIDDLE)) / 9) ** 2)


def bar(rng):
    """A soft bar of shade across the picture."""
    angle = rng.uniform(0, np.pi)
    across = (RIGHT - MIDDLE) * np.cos(angle) + (DOWN - MIDDLE) * np.sin(angle) - rng.uniform(-4, 4)
    return shade(rng.uniform(0.8, 1) * np.exp(-(across**2) / (2 * rng.uniform(2, 3) ** 2)))


def _distance(point):
    return np.hypot(DOWN - point[0], RIGHT - point[1])


WAVES = (wave_across, wave_down, wave_slanted, ripples, weave, cloud)
SHADE = (gradient, dusk, half, blot, vignette, bar)
