"""Power analysis: the smallest detectable difference, and the number of seeds needed.

With several comparisons at once, each gets its share of the 5%, as in Holm's first step.
"""

import math

from fmlbench.metrics.numerics import normal_quantile, t_power, t_quantile
from fmlbench.metrics.statistics.permutation import ALPHA, fewest_pairs

POWER = 0.8
POWER_OVER_DRAWS = 0.85
"""Planned slightly above 80%, because the noise is estimated from few pairs; the mean actual power is then 80%."""
MOST_SEEDS = 1000


def minimum_detectable_effect(scatter: float, tasks: int, seeds: float, questions: int = 1) -> float | None:
    """The mean difference that is detected with a power of 80%; None with too few pairs.

    ``scatter`` is the standard deviation of a pair's difference within a task.
    """
    pairs, freedom = tasks * seeds, tasks * (seeds - 1)
    if pairs < fewest_pairs(questions) or freedom < 1:
        return None
    bound = t_quantile(1 - ALPHA / questions / 2, freedom)
    return (bound + t_quantile(POWER, freedom)) * scatter / math.sqrt(pairs)


def seeds_needed(effect: float, scatter: float, tasks: int, questions: int = 1) -> int | None:
    """The number of seeds per task that detects an effect with a power of 80%; None if above a thousand."""
    if effect <= 0:
        return None
    alpha = ALPHA / questions
    rough = (normal_quantile(1 - alpha / 2) + normal_quantile(POWER)) ** 2 * (scatter / effect) ** 2 / tasks
    if rough > MOST_SEEDS:
        return None
    fewest = max(2, math.ceil(fewest_pairs(questions) / tasks), math.floor(rough))
    for seeds in range(fewest, MOST_SEEDS + 1):
        if not scatter or t_power(effect * math.sqrt(tasks * seeds) / scatter, tasks * (seeds - 1), alpha) >= POWER:
            return seeds
    return None


def minimum_detectable_over_draws(noise: float, tasks: int, seeds: float, draws: int) -> float | None:
    """The mean difference that the test over retest samples detects with a power of 80%."""
    freedom = tasks * (draws - 1)
    if freedom < 1:
        return None
    bound = t_quantile(1 - ALPHA / 2, freedom)
    return (bound + t_quantile(POWER, freedom)) * noise / math.sqrt(tasks * seeds * draws)


def seeds_needed_over_draws(effect: float, noise: float, tasks: int, draws: int) -> int | None:
    """The number of seeds for the test over retest samples, where more seeds reduce the noise of each sample.

    ``noise`` is the standard deviation of a pair's difference between samples.
    """
    freedom = tasks * (draws - 1)
    if effect <= 0 or freedom < 1:
        return None
    for seeds in range(1, MOST_SEEDS + 1):
        if not noise or t_power(effect * math.sqrt(tasks * draws * seeds) / noise, freedom, ALPHA) >= POWER_OVER_DRAWS:
            return seeds
    return None
