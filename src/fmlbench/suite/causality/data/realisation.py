"""Simulate an observational study over given factors: random surfaces under drawn circumstances.

The circumstances (noise, size and spread of effects, overlap, confounding) of the realisations of an exam are drawn in
strata, so that the exams of all seeds are about equally hard.
"""

import numpy as np
import surfaces

RANGES = {
    "noise": (0.15, 0.35),
    "effect_spread": (0.6, 0.9),
    "effect_mean": (-0.7, 0.7),
    "treated": (0.3, 0.55),
    "selection": (0.3, 1.2),
    "confounding": (0.2, 0.8),
    "sharing": (-0.4, 0.4),
    "uneven_noise": (0.0, 0.5),
}
"""Noise and effects are in units of the untreated outcomes' spread; ``selection`` is the spread of the log odds."""
USED = {"base": (1, 3), "extra": (1, 2), "urge": (1, 2), "unrest": (1, 1)}
"""How many factors each surface may use: untreated outcome, effect, propensity and spread of the noise."""


def draw_circumstances(number, rng):
    """Return ``number`` sets of circumstances; each quantity has one value in every stratum of its range."""
    strata = {name: (rng.permutation(number) + rng.random(number)) / number for name in RANGES}
    return [
        {name: low + (high - low) * strata[name][one] for name, (low, high) in RANGES.items()} for one in range(number)
    ]


def simulate(factors, world, given, rng):
    """Return treatment, outcomes and effects of all rows of ``factors`` under the ``given`` circumstances."""
    base, extra, urge, unrest = (
        surfaces.compose(factors, choose(factors.shape[1], fewest, most, rng), world, rng)
        for fewest, most in USED.values()
    )
    share = given["sharing"]
    shape = surfaces.standardise(np.sqrt(1 - share**2) * extra + share * base)
    effects = given["effect_mean"] + given["effect_spread"] * shape
    treatment = assign(base, extra, urge, given, rng)
    noise = given["noise"] * np.exp(given["uneven_noise"] * unrest) * draw_noise(len(factors), rng)
    return treatment, base + treatment * effects + noise, effects


def choose(number, fewest, most, rng):
    """Choose which of ``number`` factors a surface uses."""
    return rng.choice(number, min(number, rng.integers(fewest, most + 1)), replace=False)


def assign(base, extra, urge, given, rng):
    """Treat units with odds that depend on a surface of their own and, by confounding, on outcome and effect."""
    towards = rng.choice([-1, 1], 2) * rng.dirichlet([1, 1])
    confounded = surfaces.standardise(towards[0] * base + towards[1] * extra)
    strength = given["confounding"]
    score = given["selection"] * surfaces.standardise(strength * confounded + (1 - strength) * urge)
    level = np.log(given["treated"] / (1 - given["treated"]))
    return (rng.random(len(score)) < 1 / (1 + np.exp(-score - level))).astype(np.int64)


def draw_noise(number, rng):
    """Noise of spread one: normal in half of the cases, else heavy-tailed or skewed."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.standard_t(5, number) / np.sqrt(5 / 3)
    if kind == 1:
        shape = rng.uniform(2, 8)
        return rng.choice([-1, 1]) * (rng.gamma(shape, size=number) - shape) / np.sqrt(shape)
    return rng.normal(size=number)
