"""Power analysis: the smallest detectable difference, and how many more runs would decide between two agents.

With several comparisons at once, each gets its share of the 5%, as in Holm's first step.
"""

import math
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.numerics import normal_quantile, t_power, t_quantile
from fmlbench.metrics.statistics.groups import Groups, scatter_within
from fmlbench.metrics.statistics.intervals import Tables, noise_of_draws
from fmlbench.metrics.statistics.significance import ALPHA, fewest_pairs

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


_DOUBTFUL_PAIRS = 10


@dataclass(frozen=True)
class Advice:
    """The sample size that would decide."""

    seeds: int
    """Pairs per task so far: the mean over tasks, rounded down."""
    scatter: float
    """The standard deviation of one agent's runs within a task: one sigma of this advice."""
    detectable: float | None
    """The difference that the pairs so far detect with a power of 80%."""
    for_one_sigma: int | None
    """Seeds per task that detect a difference of one sigma with a power of 80%."""
    for_seen: int | None
    """The same for the observed difference; None if more than a thousand."""
    wants_retests: bool
    """Whether fewer seeds would suffice if runs were retested on more samples."""


@dataclass(frozen=True)
class Evidence:
    """The results of two agents so far."""

    differences: Groups
    """Differences of pairs, by task."""
    ours: Groups
    theirs: Groups
    tables: Tables
    """The differences on each sample of the retests; empty without retests."""
    questions: int
    """Number of agent pairs compared at once."""


def advise(evidence: Evidence, seen: float) -> Advice | None:
    """Estimate the sample size; None if no task has two runs with different values."""
    differences = evidence.differences
    paired = scatter_within(differences)
    own = [scatter for group in (evidence.ours, evidence.theirs) if (scatter := scatter_within(group)) is not None]
    if paired is None or not own:
        return None
    sigma = float(np.sqrt(np.mean(np.square(own))))
    if not sigma:
        return None
    tasks, pairs = len(differences), sum(map(len, differences.values()))
    expected = _expected_scatter(paired, sigma, pairs - tasks)
    effects = (sigma, abs(seen))
    for_runs = [seeds_needed(effect, expected, tasks, evidence.questions) for effect in effects]
    for_both = [_with_draws(seeds, effect, evidence) for seeds, effect in zip(for_runs, effects, strict=True)]
    return Advice(
        seeds=pairs // tasks,
        scatter=sigma,
        detectable=_detectable(paired, evidence, pairs / tasks),
        for_one_sigma=for_both[0],
        for_seen=for_both[1],
        wants_retests=for_both != for_runs,
    )


def _detectable(scatter: float, evidence: Evidence, seeds: float) -> float | None:
    """The difference that both the test over runs and the test over samples detect."""
    tasks = len(evidence.differences)
    by_runs = minimum_detectable_effect(scatter, tasks, seeds, evidence.questions)
    noise = noise_of_draws(evidence.tables)
    by_draws = None if noise is None else minimum_detectable_over_draws(noise, tasks, seeds, _draws(evidence.tables))
    return by_runs if by_runs is None or by_draws is None else max(by_runs, by_draws)


def _with_draws(seeds: int | None, effect: float, evidence: Evidence) -> int | None:
    """The larger of ``seeds`` and the number of seeds that the test over retest samples needs."""
    noise = noise_of_draws(evidence.tables)
    if seeds is None or noise is None:
        return seeds
    for_draws = seeds_needed_over_draws(effect, noise, len(evidence.differences), _draws(evidence.tables))
    return None if for_draws is None else max(seeds, for_draws)


def _draws(tables: Tables) -> int:
    return min(len(row) for rows in tables.values() for row in rows)


def _expected_scatter(paired: float, sigma: float, freedom: int) -> float:
    """The scatter of differences to plan with.

    A few pairs estimate the benefit of pairing badly, so the estimate is shrunk towards no benefit with the weight of
    ten pairs.
    """
    return float(np.sqrt((freedom * paired**2 + _DOUBTFUL_PAIRS * 2 * sigma**2) / (freedom + _DOUBTFUL_PAIRS)))
