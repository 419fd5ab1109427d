"""How large an experiment must be: the smallest difference it can find, and the seeds that a difference needs.

Where several questions are asked at once, each has its share of the 5%, as Holm asks of the first finding.
"""

import math

from fmlbench.metrics.numerics import normal_quantile, t_power, t_quantile
from fmlbench.metrics.statistics.permutation import ALPHA, fewest_pairs

POWER = 0.8
POWER_OVER_DRAWS = 0.85
"""What is planned for, since the noise is only known from a few pairs: on average it comes to four in five."""
MOST_SEEDS = 1000


def minimum_detectable_effect(scatter: float, tasks: int, seeds: float, questions: int = 1) -> float | None:
    """The mean difference that is found four times in five; None where so few pairs find nothing.

    ``scatter`` is the standard deviation of a pair's difference within a task.
    """
    pairs, freedom = tasks * seeds, tasks * (seeds - 1)
    if pairs < fewest_pairs(questions) or freedom < 1:
        return None
    bound = t_quantile(1 - ALPHA / questions / 2, freedom)
    return (bound + t_quantile(POWER, freedom)) * scatter / math.sqrt(pairs)


def seeds_needed(effect: float, scatter: float, tasks: int, questions: int = 1) -> int | None:
    """How many seeds per task find an effect four times in five; None if it takes more than a thousand."""
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


def seeds_needed_over_draws(effect: float, noise: float, tasks: int, draws: int) -> int | None:
    """The same where the draws of the retests are what is counted, and seeds only make each of them less noisy.

    ``noise`` is the standard deviation of a pair's difference from draw to draw.
    """
    freedom = tasks * (draws - 1)
    if effect <= 0 or freedom < 1:
        return None
    for seeds in range(1, MOST_SEEDS + 1):
        if not noise or t_power(effect * math.sqrt(tasks * draws * seeds) / noise, freedom, ALPHA) >= POWER_OVER_DRAWS:
            return seeds
    return None
