"""Rank agents: rank ranges and tie groups instead of exact ranks."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.comparison import MEASURE, Comparison, ComparisonVerdict, by_task, compare_all, orientation_of
from fmlbench.metrics.measured_run import MeasuredRun
from fmlbench.metrics.statistics.groups import Statistics, optimality_gap, pooled, summarise, task_mean
from fmlbench.metrics.statistics.intervals import (
    Interval,
    iqm_on_these_tasks,
    mean_on_tasks_like_these,
    mean_on_these_tasks,
    wilson,
)

_SEED = 20261116


@dataclass(frozen=True)
class Entry:
    """The row of one agent."""

    agent: str
    tasks: tuple[str, ...]
    """The tasks on which it has a value."""
    mean: float
    """The mean over tasks of the task means."""
    summary: Statistics
    """Over all runs."""
    these_tasks: Interval | None
    new_tasks: Interval | None
    iqm: Interval | None
    """Of the interquartile mean, on these tasks."""
    ranks: tuple[int, int]
    """The best and the worst possible rank, given the significant differences."""
    groups: tuple[int, ...]
    """The tie groups it belongs to, numbered from 1, best first."""
    win_rate: float | None
    above_baseline: tuple[int, int, Interval | None]
    """Number of runs above the baseline, number of runs, and Wilson interval of the share."""
    transfer: float | None
    """The mean over tasks of the mean transfer to the sibling; only for the measure improvement."""
    optimality_gap: float | None
    """The mean distance to a perfect score; only for the measure improvement."""


@dataclass(frozen=True)
class Leaderboard:
    """All agents, best mean first, with all pairwise comparisons."""

    measure: str
    entries: Sequence[Entry]
    groups: Sequence[tuple[str, ...]]
    comparisons: Sequence[Comparison]


def rank_agents(agents: Mapping[str, Sequence[MeasuredRun]], measure: str = MEASURE) -> Leaderboard:
    """Compare all pairs of agents and rank them."""
    comparisons = compare_all(agents, measure)
    values = {name: by_task(runs, measure) for name, runs in agents.items()}
    sign = orientation_of(measure)
    ordered = sorted(values, key=lambda name: -sign * task_mean(values[name]))
    better = {_winner_first(one) for one in comparisons if one.verdict is not ComparisonVerdict.UNDECIDED}
    groups = tie_groups(ordered, {frozenset(pair) for pair in better})
    wins = win_rates(
        {name: {task: sign * float(np.mean(row)) for task, row in tasks.items()} for name, tasks in values.items()}
    )
    entries = [
        Entry(
            agent=name,
            tasks=tuple(sorted(values[name])),
            mean=task_mean(values[name]),
            summary=_summary(pooled(values[name]).tolist()),
            these_tasks=mean_on_these_tasks(values[name], np.random.default_rng(_SEED)),
            new_tasks=mean_on_tasks_like_these(values[name], np.random.default_rng(_SEED)),
            iqm=iqm_on_these_tasks(values[name], np.random.default_rng(_SEED)),
            ranks=rank_range(name, better, len(ordered)),
            groups=tuple(number for number, group in enumerate(groups, start=1) if name in group),
            win_rate=wins.get(name),
            above_baseline=_above_baseline(agents[name]),
            transfer=_transfer(agents[name]) if measure == MEASURE else None,
            optimality_gap=optimality_gap(values[name]) if measure == MEASURE else None,
        )
        for name in ordered
    ]
    return Leaderboard(measure=measure, entries=entries, groups=groups, comparisons=comparisons)


def _transfer(runs: Sequence[MeasuredRun]) -> float | None:
    values = by_task(runs, "transfer")
    return task_mean(values) if values else None


def _above_baseline(runs: Sequence[MeasuredRun]) -> tuple[int, int, Interval | None]:
    values = pooled(by_task(runs, MEASURE) or {"": []})
    count = int((values > 0).sum())
    return count, len(values), wilson(count, len(values))


def _winner_first(comparison: Comparison) -> tuple[str, str]:
    first, second = comparison.first, comparison.second
    return (first, second) if comparison.verdict is ComparisonVerdict.BETTER else (second, first)


def _summary(values: Sequence[float]) -> Statistics:
    summary = summarise(values)
    assert summary is not None  # noqa: S101 - the comparison rejects agents without values
    return summary


def tie_groups(ordered: Sequence[str], different: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """The maximal sets without a significant difference, best first; an agent may be in several."""
    tied = {
        name: {other for other in ordered if other != name and frozenset((name, other)) not in different}
        for name in ordered
    }
    groups = [sorted(map(ordered.index, group)) for group in _cliques(tied, set(), set(ordered), set())]
    return [tuple(ordered[place] for place in group) for group in sorted(groups)]


def _cliques(tied: Mapping[str, set[str]], inside: set[str], open_: set[str], done: set[str]) -> Iterator[set[str]]:
    """All maximal groups that contain ``inside``, some of ``open_`` and none of ``done`` (Bron and Kerbosch, 1973).

    Enumerating all subsets would take minutes with 25 agents.
    """
    if not open_ and not done:
        yield inside
        return
    # Every maximal group contains the pivot or an agent that differs significantly from it.
    pivot = max(open_ | done, key=lambda name: len(tied[name] & open_))
    for name in sorted(open_ - tied[pivot]):
        yield from _cliques(tied, inside | {name}, open_ & tied[name], done & tied[name])
        open_ = open_ - {name}
        done = done | {name}


def rank_range(name: str, better: Collection[tuple[str, str]], count: int) -> tuple[int, int]:
    """The best and the worst possible rank of an agent, given the significant differences."""
    above = sum(loser == name for _, loser in better)
    below = sum(winner == name for winner, _ in better)
    return above + 1, count - below


def win_rates(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The share of strict wins against each other agent, averaged over opponents and the tasks they share."""
    rates: dict[str, float] = {}
    for name, ours in means.items():
        shares: list[float] = []
        for other, theirs in means.items():
            shared = ours.keys() & theirs.keys()
            if other != name and shared:
                shares.append(float(np.mean([ours[task] > theirs[task] for task in shared])))
        if shares:
            rates[name] = float(np.mean(shares))
    return rates
