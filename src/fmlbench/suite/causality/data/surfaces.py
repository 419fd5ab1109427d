"""Families of response surfaces over the covariates of IHDP: what an outcome would be without and with treatment.

Each takes the covariates of all units (six continuous ones, standardised, then nineteen of 0 and 1), the treatment and
a random generator, and returns the mean outcomes ``untreated`` and ``treated``. Coefficients are drawn afresh for every
realisation. Two families are those of Hill (2011), "Bayesian nonparametric modeling for causal inference": her surface
A, a constant effect, and her surface B, where one arm is exponential and the other linear.
"""

import numpy as np

CONTINUOUS = 6
BINARY = 19
COVARIATES = CONTINUOUS + BINARY


def linear(covariates, _treatment, rng):
    """Hill's surface A: linear, and the effect is the same for all."""
    slopes = rng.choice([0, 1, 2, 3, 4], COVARIATES, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    untreated = covariates @ slopes
    return untreated, untreated + 4


def exponential(covariates, treatment, rng):
    """Hill's surface B: exponential without and linear with treatment; the treated gain 4 on average."""
    slopes = some(10, rng.choice([0.1, 0.2, 0.3, 0.4], COVARIATES), rng)
    slopes *= 0.4 / (covariates @ slopes).std()
    untreated, treated = np.exp((covariates + 0.5) @ slopes), covariates @ slopes
    return untreated, treated + 4 - (treated - untreated)[treatment == 1].mean()


def polynomial(covariates, _treatment, rng):
    """A few squares and products on top of a linear surface, others in the effect; after Hill's surface C."""
    left, right = np.triu_indices(CONTINUOUS)
    bounded = covariates[:, :CONTINUOUS].clip(-2, 2)
    products = bounded[:, left] * bounded[:, right]
    untreated = covariates @ some(8, rng.normal(size=COVARIATES), rng)
    untreated += products @ some(5, rng.normal(size=len(left)), rng)
    effect = covariates @ some(3, rng.normal(size=COVARIATES), rng) + products @ some(3, signs(len(left), rng), rng)
    return with_effect(untreated, effect)


def waves(covariates, _treatment, rng):
    """Sines of single continuous covariates, shifted by binary ones."""

    def sum_of_waves(continuous, binary):
        phases, speeds = rng.uniform(0, 2 * np.pi, CONTINUOUS), rng.uniform(0.5, 1.5, CONTINUOUS)
        heights = some(continuous, signs(CONTINUOUS, rng), rng)
        shifts = some(binary, rng.normal(size=BINARY), rng)
        return np.sin(covariates[:, :CONTINUOUS] * speeds + phases) @ heights + covariates[:, CONTINUOUS:] @ shifts

    return with_effect(sum_of_waves(4, 6), sum_of_waves(2, 2))


def thresholds(covariates, _treatment, rng):
    """Sums of small trees: outcomes and effects jump where a covariate passes a value."""
    untreated = sum(tree(covariates, 2, rng) for _ in range(3))
    effect = sum(tree(covariates, 1, rng) for _ in range(3))
    return with_effect(untreated, effect)


def network(covariates, _treatment, rng):
    """Soft switches, each hanging on several covariates at once."""

    def switches(number, inputs):
        weights = np.stack([some(inputs, rng.normal(size=COVARIATES), rng) for _ in range(number)], axis=1)
        return np.tanh(1.5 * standardised(standardised(covariates) @ weights) + rng.normal(size=number)) @ signs(
            number, rng
        )

    return with_effect(switches(6, 5), switches(3, 3))


VALIDATION = (linear, network, thresholds)
TEST = (exponential, polynomial, waves)


def with_effect(untreated, effect):
    """Give the effect a mean of one and a spread of 0.7, in units of the untreated outcomes' spread."""
    spread = untreated.std()
    return untreated, untreated + spread * (1 + 0.7 * standardised(effect))


def standardised(values):
    """Mean zero and spread one, column by column."""
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def some(number, values, rng):
    """Keep so many of the values, chosen at random, and set the others to zero."""
    kept = np.zeros(len(values))
    chosen = rng.choice(len(values), number, replace=False)
    kept[chosen] = np.asarray(values)[chosen]
    return kept


def signs(number, rng):
    """Coefficients that all matter: between a half and three halves, of either sign."""
    return rng.uniform(0.5, 1.5, number) * rng.choice([-1, 1], number)


def tree(covariates, depth, rng):
    """A random regression tree: seven of ten splits are on continuous covariates."""
    values = np.zeros(len(covariates))

    def grow(rows, levels):
        if levels == 0 or len(rows) < 20:
            values[rows] = rng.normal()
            return
        column, value = rng.integers(CONTINUOUS, COVARIATES), 0.5
        if rng.random() < 0.7:
            column = rng.integers(CONTINUOUS)
            value = np.quantile(covariates[rows, column], rng.uniform(0.3, 0.7))
        below = covariates[rows, column] <= value
        grow(rows[below], levels - 1)
        grow(rows[~below], levels - 1)

    grow(np.arange(len(covariates)), depth)
    return values
