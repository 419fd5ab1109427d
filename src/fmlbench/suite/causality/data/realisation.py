"""Simulate an observational study over given covariates: three random surfaces and drawn circumstances.

The circumstances (noise, size and spread of effects, overlap, confounding, sparsity) of the realisations of an exam are
drawn in strata, so that every exam of every seed is about as hard as any other.
"""

import numpy as np
import surfaces

RANGES = {
    "noise": (0.25, 0.8),
    "effect_spread": (0.5, 1.0),
    "effect_mean": (-1.0, 1.0),
    "treated": (0.3, 0.55),
    "selection": (0.3, 1.8),
    "confounding": (0.2, 0.9),
    "sharing": (-0.4, 0.4),
    "uneven_noise": (0.0, 0.5),
}
"""Noise, effects and their spread are in units of the untreated outcomes' spread; selection is that of log odds."""


def draw_circumstances(number, rng):
    """Return ``number`` sets of circumstances; each quantity has one value in every stratum of its range."""
    strata = {name: (rng.permutation(number) + rng.random(number)) / number for name in RANGES}
    return [
        {name: low + (high - low) * strata[name][one] for name, (low, high) in RANGES.items()} for one in range(number)
    ]


def simulate(inputs, world, circumstances, rng):
    """Return treatment, outcomes and effects of all rows of ``inputs``, in units of the untreated outcomes' spread."""
    given = circumstances
    columns = choose_columns(inputs, rng)
    base, extra, urge, unrest = (surfaces.compose(inputs, columns[name], world, rng) for name in columns)
    share = given["sharing"]
    effect = given["effect_mean"] + given["effect_spread"] * surfaces.standardise(
        np.sqrt(1 - share**2) * extra + share * base
    )
    treatment = assign(base, extra, urge, given, rng)
    noise = given["noise"] * np.exp(given["uneven_noise"] * unrest) * draw_noise(len(inputs), rng)
    outcomes = base + treatment * effect + noise
    return treatment, outcomes, effect


def choose_columns(inputs, rng):
    """Say which covariates the untreated outcome, the effect, the propensity and the noise hang on."""
    values = np.array([len(np.unique(column)) for column in inputs.T])
    weights = np.where(values > 2, 3.0, 1.0)
    counts = {"base": rng.integers(3, 8), "extra": rng.integers(1, 5), "urge": rng.integers(2, 6), "unrest": 2}
    return {
        name: rng.choice(len(weights), count, replace=False, p=weights / weights.sum())
        for name, count in counts.items()
    }


def assign(base, extra, urge, given, rng):
    """Treat units with odds that depend on their covariates and, by confounding, on what they would gain or have."""
    towards = rng.choice([-1, 1], 2) * rng.dirichlet([1, 1])
    confounded = surfaces.standardise(towards[0] * base + towards[1] * extra)
    strength = given["confounding"]
    score = given["selection"] * surfaces.standardise(strength * confounded + (1 - strength) * urge)
    level = np.log(given["treated"] / (1 - given["treated"]))
    return (rng.random(len(score)) < 1 / (1 + np.exp(-score - level))).astype(np.int64)


def draw_noise(number, rng):
    """Noise of spread one: normal, heavy-tailed or skewed."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.standard_t(5, number) / np.sqrt(5 / 3)
    if kind == 1:
        shape = rng.uniform(2, 8)
        return rng.choice([-1, 1]) * (rng.gamma(shape, size=number) - shape) / np.sqrt(shape)
    return rng.normal(size=number)
