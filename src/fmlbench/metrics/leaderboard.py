"""Agents side by side: places as ranges, and tie groups instead of false ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fmlbench.metrics.comparison import MEASURE, Comparison, ComparisonVerdict, by_task, compare_all, orientation_of
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.metrics.statistics.bootstrap import (
    Interval,
    iqm_on_these_tasks,
    mean_on_tasks_like_these,
    mean_on_these_tasks,
)
from fmlbench.metrics.statistics.groups import pooled, task_mean
from fmlbench.metrics.statistics.profiles import optimality_gap
from fmlbench.metrics.statistics.rates import wilson
from fmlbench.metrics.statistics.summaries import Statistics, summarise
from fmlbench.metrics.statistics.ties import rank_range, tie_groups, win_rates

_SEED = 20261116


@dataclass(frozen=True)
class Entry:
    """One agent's line."""

    agent: str
    tasks: tuple[str, ...]
    """Those on which it has a value."""
    mean: float
    """Over tasks of the tasks' means."""
    summary: Statistics
    """Over all runs."""
    these_tasks: Interval | None
    new_tasks: Interval | None
    iqm: Interval | None
    """Of the interquartile mean, on these tasks."""
    ranks: tuple[int, int]
    """The best and the worst place it can hold, given what can be told apart."""
    groups: tuple[int, ...]
    """The tie groups it belongs to, numbered from 1, best first."""
    win_rate: float | None
    above_baseline: tuple[int, int, Interval | None]
    """How many runs improved on the baseline, of how many, and Wilson's interval of their share."""
    transfer: float | None
    """The mean on the tasks' siblings, over tasks of the tasks' means; of the improvement alone."""
    optimality_gap: float | None
    """How far runs stay below a perfect score on average; of the improvement alone, which has one."""


@dataclass(frozen=True)
class Leaderboard:
    """All agents, best mean first, with every comparison behind it."""

    measure: str
    entries: Sequence[Entry]
    groups: Sequence[tuple[str, ...]]
    comparisons: Sequence[Comparison]


def rank_agents(agents: Mapping[str, Sequence[MeasuredRun]], measure: str = MEASURE) -> Leaderboard:
    """Compare all pairs of agents and put them in order as far as there is one."""
    comparisons = compare_all(agents, measure)
    values = {name: by_task(runs, measure) for name, runs in agents.items()}
    sign = orientation_of(measure)
    ordered = sorted(values, key=lambda name: -sign * task_mean(values[name]))
    better = {_winner_first(one) for one in comparisons if one.verdict is not ComparisonVerdict.CANNOT_TELL}
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
    assert summary is not None  # noqa: S101 - an agent without a value was refused by the comparison
    return summary
