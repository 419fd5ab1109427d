"""What it would take to decide between two agents."""

from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.statistics.draws import Tables, noise_of_draws
from fmlbench.metrics.statistics.groups import Groups, scatter_within
from fmlbench.metrics.statistics.power import minimum_detectable_effect, seeds_needed, seeds_needed_over_draws

_DOUBTFUL_PAIRS = 10


@dataclass(frozen=True)
class Advice:
    """What it would take to decide."""

    seeds: int
    """Pairs per task so far, on average over tasks rounded down."""
    scatter: float
    """The standard deviation of one agent's runs within a task: one sigma of this advice."""
    detectable: float | None
    """The difference that the pairs so far would find four times in five."""
    for_one_sigma: int | None
    """Seeds per task that find a difference of one sigma four times in five."""
    for_seen: int | None
    """The same for a difference as large as the one seen; None if that is more than a thousand."""
    wants_retests: bool
    """Whether fewer seeds would do if runs were retested on more draws."""


@dataclass(frozen=True)
class Evidence:
    """What two agents' runs have shown so far."""

    differences: Groups
    """Of pairs, by task."""
    ours: Groups
    theirs: Groups
    tables: Tables
    """The differences on each draw of the retests; empty where there are none."""
    questions: int
    """How many pairs of agents are compared at once."""


def advise(evidence: Evidence, seen: float) -> Advice | None:
    """None where no task has two runs that differ, so that nothing is known about the scatter."""
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
        detectable=minimum_detectable_effect(paired, tasks, pairs / tasks, evidence.questions),
        for_one_sigma=for_both[0],
        for_seen=for_both[1],
        wants_retests=for_both != for_runs,
    )


def _with_draws(seeds: int | None, effect: float, evidence: Evidence) -> int | None:
    """So many seeds, or as many as the other part of the verdict needs, which looks at the draws of the retests."""
    tasks, tables = len(evidence.differences), evidence.tables
    noise = noise_of_draws(tables)
    if seeds is None or noise is None:
        return seeds
    draws = min(len(row) for rows in tables.values() for row in rows)
    for_draws = seeds_needed_over_draws(effect, noise, tasks, draws)
    return None if for_draws is None else max(seeds, for_draws)


def _expected_scatter(paired: float, sigma: float, freedom: int) -> float:
    """The scatter of differences to plan with.

    Few pairs say little about what pairing gains, so ten made-up ones that say it gains nothing join them.
    """
    return float(np.sqrt((freedom * paired**2 + _DOUBTFUL_PAIRS * 2 * sigma**2) / (freedom + _DOUBTFUL_PAIRS)))
