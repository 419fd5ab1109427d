"""How large an experiment must be: the smallest difference it can find, and the seeds that a difference needs."""

import math

from fmlbench.metrics.numerics import normal_quantile, t_power, t_quantile
from fmlbench.metrics.statistics.permutation import ALPHA, FEWEST_PAIRS

POWER = 0.8
MOST_SEEDS = 1000


def minimum_detectable_effect(scatter: float, tasks: int, seeds: float) -> float | None:
    """The mean difference that is found four times in five; None where so few pairs find nothing.

    ``scatter`` is the standard deviation of a pair's difference within a task.
    """
    pairs, freedom = tasks * seeds, tasks * (seeds - 1)
    if pairs < FEWEST_PAIRS or freedom < 1:
        return None
    return (t_quantile(1 - ALPHA / 2, freedom) + t_quantile(POWER, freedom)) * scatter / math.sqrt(pairs)


def seeds_needed(effect: float, scatter: float, tasks: int) -> int | None:
    """How many seeds per task find an effect four times in five; None if it takes more than a thousand."""
    if effect <= 0:
        return None
    rough = (normal_quantile(1 - ALPHA / 2) + normal_quantile(POWER)) ** 2 * (scatter / effect) ** 2 / tasks
    if rough > MOST_SEEDS:
        return None
    fewest = max(2, math.ceil(FEWEST_PAIRS / tasks), math.floor(rough))
    for seeds in range(fewest, MOST_SEEDS + 1):
        if not scatter or t_power(effect * math.sqrt(tasks * seeds) / scatter, tasks * (seeds - 1), ALPHA) >= POWER:
            return seeds
    return None
