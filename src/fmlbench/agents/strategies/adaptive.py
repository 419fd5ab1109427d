"""Greedy until it stagnates, then a few greedy branches side by side: the search that FML-bench's authors propose.

Branches begin with the best steps that greedy kept. A branch that keeps little is told so: to go deeper where its code
is still close to the baseline, to stay coherent where its steps point in many directions. "Close" is measured by the
farthest step of the same run; the original has a constant per task, from earlier runs on it.
"""

import math
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.agents.strategies.branches import Branch, kept
from fmlbench.agents.strategies.greedy import climb
from fmlbench.core.steps import History, Move

_DEEPER = "Go deeper: this branch has hardly moved from the baseline; take what helped a good deal further."
_COHERENT = "Stay coherent: this branch moves in many directions at once; follow up the one that helped."
_FIRST = "Begin something whose mechanism differs from that of the first steps of the other branches."
_JOURNAL = 30


@dataclass(frozen=True)
class Adaptive:
    """One climb as long as it pays, several when it does not."""

    debug_tries: int = parameter(2, "how often in a row a failed step is mended before it is given up", low=0)
    window: int = parameter(50, "over how many steps progress is measured", low=1)
    slope: float = parameter(5e-4, "the normalised improvement per step at or below which a search stagnates", low=0)
    branches: int = parameter(3, "how many branches there are at most", low=1)
    branch_steps: int = parameter(15, "how many of the steps left it takes to begin one more branch", low=1)
    last_steps: int = parameter(3, "with how many steps left, or fewer, no branch is begun", low=0)
    hint_after: int = parameter(5, "after how many of its steps a branch is given hints", low=1)
    few_kept: int = parameter(2, "how many steps a branch keeps that keeps few", low=0)
    deeper_window: int = parameter(20, "of how many last steps few are kept, to be told to go deeper", low=1)
    deeper_reach: float = parameter(0.3, "which share of the farthest distance is close to the baseline", low=0)
    coherent_window: int = parameter(5, "of how many last steps few are kept, to be told to stay coherent", low=1)
    coherent_dimension: float = parameter(1.25, "how many directions are many", low=0)

    def next_move(self, history: History, rng: Random) -> Move:
        """Climb from the best of all steps; after the fork, from the best of the branch whose turn it is."""
        fork = self._fork(history)
        count = 0 if fork is None else self._branches(history.budget - fork)
        if fork is None or count == 0:
            return climb(history, history.steps, self.debug_tries)
        place = (len(history) - 1 - fork) % count
        branch = _branch(history, fork, place, count)
        hint = self._hint(branch)
        firsts = range(1 + fork, min(1 + fork + count, len(history)))
        journal = range(max(1, len(history) - _JOURNAL), len(history))
        tags = {"branch": str(place + 1)} | ({"hint": hint} if hint else {})
        move = climb(history, branch.steps, self.debug_tries)
        return move.model_copy(update={"tags": tags, "context": tuple(sorted({*firsts, *journal}))})

    def _fork(self, history: History) -> int | None:
        """After how many steps the search first stagnated."""
        progress = _progress(history)
        for done in range(self.window + 1, len(progress)):
            if (progress[done] - progress[done - self.window]) / self.window <= self.slope:
                return done
        return None

    def _branches(self, left: int) -> int:
        return 0 if left <= self.last_steps else min(self.branches, math.ceil(left / self.branch_steps))

    def _hint(self, branch: Branch) -> str:
        if not branch.own:
            return _FIRST
        if len(branch.own) < self.hint_after:
            return ""
        is_shallow = branch.kept(self.deeper_window) <= self.few_kept and branch.reach <= self.deeper_reach
        is_scattered = (
            branch.kept(self.coherent_window) <= self.few_kept and branch.dimension >= self.coherent_dimension
        )
        return " ".join([_DEEPER] * is_shallow + [_COHERENT] * is_scattered)


def _branch(history: History, fork: int, place: int, count: int) -> Branch:
    """One of the branches: the first began with the best step that greedy kept, the next with the one before it."""
    roots = kept(history, history.steps[: fork + 1])[-count:][::-1]
    root = roots[place] if place < len(roots) else history[0]
    return Branch(history, root, history.steps[1 + fork + place :: count])


def _progress(history: History) -> list[float]:
    """The best normalised improvement so far, after every step: a share of the way from useless to perfect.

    Where the baseline has no score it is measured from the useless one.
    """
    metric = history.metric
    start = history[0].score if history[0].score is not None else metric.worst
    way = abs(metric.best - metric.worst) or 1.0
    gains = (0.0 if step.score is None else metric.gain(step.score, start) / way for step in history.proposed)
    return list(accumulate(gains, max, initial=0.0))
