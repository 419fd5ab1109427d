"""Tie groups and rank ranges."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np


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
