"""Tie groups instead of false ranks."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np


def tie_groups(ordered: Sequence[str], different: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """The largest sets in which no two can be told apart, best first; one may be in several."""
    groups: list[tuple[str, ...]] = []
    for size in range(len(ordered), 0, -1):
        for group in combinations(ordered, size):
            is_tied = not any(frozenset(pair) in different for pair in combinations(group, 2))
            if is_tied and not any(set(group) <= set(larger) for larger in groups):
                groups.append(group)
    return sorted(groups, key=lambda group: [ordered.index(name) for name in group])


def rank_range(name: str, better: Collection[tuple[str, str]], count: int) -> tuple[int, int]:
    """The best and the worst place that an agent can hold, given who is certainly better than whom."""
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
