"""Random response surfaces: functions of a few factors that no public file lists.

A surface is a small random program: a few components of random kinds, each on a random subset of the factors, added or
multiplied, then sent through a random link. Which kinds a world may use is public and differs between worlds:

    scored     networks, forests, fields (draws of Gaussian processes), sums of single-factor shapes
    lab        polynomials, prototypes (values of nearby points), arithmetic expressions
    sibling    experts (gated linear functions), hinges (the largest of some linear functions), lattices
"""

import numpy as np

ROWS_FOR_A_SPLIT = 8
"""A tree stops splitting where fewer rows are left."""
BOUND = 3.5
"""Surfaces are clipped to so many spreads, so that a few units do not decide a score."""


def compose(inputs, columns, world, rng):
    """Return one standardised random surface over ``inputs`` [rows, factors]; it depends on ``columns`` at most."""
    parts = [component(inputs, columns, world, rng) for _ in range(rng.integers(1, 4))]
    if len(parts) > 1 and rng.random() < 0.4:
        parts[:2] = [standardise((parts[0] + rng.normal()) * (parts[1] + rng.normal()))]
    total = sum(part * rng.uniform(0.5, 1.5) for part in parts)
    link = LINKS[rng.integers(len(LINKS))]
    return standardise(link(standardise(total), rng)).clip(-BOUND, BOUND)


def component(inputs, columns, world, rng):
    """Return a standardised function of one of the world's kinds, on a random part of the columns."""
    kinds = KINDS[world]
    some = rng.choice(columns, rng.integers(1, len(columns) + 1), replace=False)
    return standardise(kinds[rng.integers(len(kinds))](inputs[:, some], rng))


def standardise(values):
    """Mean zero and spread one, column by column; a constant becomes zero."""
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)


# Links: monotone or folding functions of a standardised sum.


def stay(values, _rng):
    """Leave the values as they are."""
    return values


def grow(values, rng):
    """Grow exponentially, upwards or downwards."""
    return np.exp(rng.choice([-1, 1]) * rng.uniform(0.3, 0.9) * values)


def saturate(values, rng):
    """Level off on both sides of a random point."""
    return np.tanh(rng.uniform(0.6, 1.6) * (values - rng.normal(scale=0.5)))


def bend(values, rng):
    """Change the slope smoothly at a random point."""
    return np.logaddexp(0, rng.uniform(1, 4) * (values - rng.normal(scale=0.5))) + rng.uniform(0, 0.5) * values


def root(values, rng):
    """Take a signed power."""
    return np.sign(values) * np.abs(values) ** rng.uniform(0.5, 1.6)


LINKS = (stay, stay, stay, grow, saturate, bend, root)


# Kinds of the scored world.


def network(inputs, rng):
    """A random network of one or two layers."""
    values = inputs
    for _ in range(rng.integers(1, 3)):
        width = rng.integers(3, 13)
        weights = rng.normal(size=(values.shape[1], width))
        activation = ACTIVATIONS[rng.integers(len(ACTIVATIONS))]
        values = activation(rng.uniform(0.5, 1.3) * standardise(values @ weights) + rng.normal(size=width))
    return values @ rng.normal(size=values.shape[1])


ACTIVATIONS = (
    np.tanh,
    np.sin,
    lambda values: values.clip(0),
    lambda values: np.exp(-(values**2)),
    lambda values: np.logaddexp(0, 2 * values),
    lambda values: 1.0 * (values > 0),
)


def forest(inputs, rng):
    """Two to eight random regression trees of one to three levels."""
    depth = rng.integers(1, 4)
    return sum(tree(inputs, depth, rng) for _ in range(rng.integers(2, 9)))


def tree(inputs, depth, rng):
    """A random regression tree that splits between quantiles of the rows it holds."""
    values = np.zeros(len(inputs))

    def split(rows, levels):
        column = inputs[rows, rng.integers(inputs.shape[1])] if len(rows) else np.zeros(0)
        if levels == 0 or len(rows) < ROWS_FOR_A_SPLIT or column.min() == column.max():
            values[rows] = rng.normal()
            return
        below = column <= min(np.quantile(column, rng.uniform(0.2, 0.8)), np.sort(np.unique(column))[-2])
        split(rows[below], levels - 1)
        split(rows[~below], levels - 1)

    split(np.arange(len(inputs)), depth)
    return values


def field(inputs, rng, waves=80):
    """A draw of a Gaussian process: a length scale for every column, Gaussian or heavy-tailed frequencies."""
    lengths = np.exp(rng.uniform(np.log(1.2), np.log(5), inputs.shape[1]))
    frequencies = rng.normal(size=(inputs.shape[1], waves)) / lengths[:, None]
    freedom = rng.choice([3.0, 5.0, np.inf])
    if np.isfinite(freedom):
        frequencies /= np.sqrt(rng.chisquare(freedom, waves) / freedom)
    return np.cos(inputs @ frequencies + rng.uniform(0, 2 * np.pi, waves)) @ rng.normal(size=waves)


def sum_of_shapes(inputs, rng):
    """A shape for every column alone: wave, bump, step, hinge, power or line."""
    shapes = [SHAPES[rng.integers(len(SHAPES))](column, rng) for column in inputs.T]
    return sum(standardise(shape) * rng.uniform(0.3, 1.5) * rng.choice([-1, 1]) for shape in shapes)


SHAPES = (
    lambda column, rng: np.sin(rng.uniform(0.5, 1.8) * column + rng.uniform(0, 2 * np.pi)),
    lambda column, rng: np.exp(-(((column - rng.normal()) / rng.uniform(0.7, 2.0)) ** 2)),
    lambda column, rng: 1.0 * (column > rng.normal(scale=0.7)),
    lambda column, rng: (column - rng.normal(scale=0.7)).clip(0),
    lambda column, rng: np.abs(column - rng.normal(scale=0.5)) ** rng.uniform(0.5, 2.5),
    lambda column, _rng: column,
)


# Kinds of the lab.


def polynomial(inputs, rng):
    """A few products of powers of bounded columns."""
    bounded = np.tanh(inputs / 2) * 2
    terms = rng.integers(0, 3, (rng.integers(2, 8), inputs.shape[1]))
    terms *= rng.random(terms.shape) < 2 / max(2, inputs.shape[1])
    return sum(rng.normal() * standardise(np.prod(bounded**powers, axis=1)) for powers in terms)


def prototypes(inputs, rng):
    """Values of random points, mixed by nearness."""
    points = inputs[rng.integers(len(inputs), size=rng.integers(3, 12))]
    distances = ((inputs[:, None] - points[None]) ** 2).sum(axis=2)
    nearness = -rng.uniform(0.3, 3) * (distances - distances.min(axis=1, keepdims=True))
    weights = np.exp(nearness)
    return weights @ rng.normal(size=len(points)) / weights.sum(axis=1)


def expression(inputs, rng, depth=4):
    """A random arithmetic expression: a tree of sums, products, extremes, waves and absolute values."""
    if depth == 0 or rng.random() < 0.2:
        return standardise(inputs[:, rng.integers(inputs.shape[1])]) + rng.normal(scale=0.3)
    left, right = (expression(inputs, rng, depth - 1) for _ in range(2))
    operators = (left + right, left * right, np.minimum(left, right), np.sin(left) + right, np.abs(left - right))
    return standardise(operators[rng.integers(len(operators))])


# Kinds of the sibling.


def experts(inputs, rng):
    """Linear functions, each valid in a part of the space with soft borders."""
    number = rng.integers(2, 6)
    gates = np.exp(standardise(inputs @ rng.normal(size=(inputs.shape[1], number))) * rng.uniform(1, 4))
    values = standardise(inputs @ rng.normal(size=(inputs.shape[1], number))) + rng.normal(size=number)
    return (gates * values).sum(axis=1) / gates.sum(axis=1)


def hinges(inputs, rng):
    """Sums of largest and smallest of some linear functions."""
    total = np.zeros(len(inputs))
    for _ in range(rng.integers(1, 5)):
        planes = standardise(inputs @ rng.normal(size=(inputs.shape[1], rng.integers(2, 5))))
        total += rng.normal() * (planes + rng.normal(size=planes.shape[1])).max(axis=1)
    return total


def lattice(inputs, rng):
    """A random value for every cell of a coarse grid over one to three columns, smoothed or not."""
    some = inputs[:, rng.permutation(inputs.shape[1])[: rng.integers(1, 4)]]
    cells = np.stack([np.searchsorted(np.quantile(c, np.sort(rng.random(3))), c) for c in some.T], axis=1)
    table = rng.normal(size=(4,) * some.shape[1])
    return table[tuple(cells.T)] + rng.choice([0.0, 0.5]) * standardise(some.sum(axis=1))


KINDS = {
    "scored": (network, forest, field, sum_of_shapes),
    "lab": (polynomial, prototypes, expression),
    "sibling": (experts, hinges, lattice),
}
