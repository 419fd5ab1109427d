"""Greedy until it stagnates, then several greedy branches in turn: the search that FML-bench's authors propose.

Branches begin with the best steps that greedy kept. A weak branch gets a hint: to go deeper if its code is still close
to the baseline, to stay coherent if its steps go in many directions. "Close" is relative to the farthest step of the
same run; the original uses a constant per task, from earlier runs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random

from fmlbench.agents.settings import parameter
from fmlbench.agents.strategies.greedy import climb
from fmlbench.agents.strategies.sketches import Sketch, effective_dimension, sketches_in
from fmlbench.core.steps import History, Move, Step

_DEEPER = "Go deeper: this branch is still close to the baseline. Take the changes that helped much further."
_COHERENT = "Stay coherent: this branch goes in many directions at once. Continue with the one that helped."
_FIRST = "Start with a mechanism that differs from the first steps of the other branches."
_JOURNAL = 30


@dataclass(frozen=True)
class Adaptive:
    """A single greedy search while it improves, several branches when it stagnates."""

    debug_tries: int = parameter(2, "maximum number of consecutive attempts to fix a failed step", low=0)
    window: int = parameter(50, "number of steps over which progress is measured", low=1)
    slope: float = parameter(5e-4, "normalised improvement per step at or below which a search stagnates", low=0)
    branches: int = parameter(3, "maximum number of branches", low=1)
    branch_steps: int = parameter(15, "remaining steps needed for each further branch", low=1)
    last_steps: int = parameter(3, "no branches are started with this many or fewer steps remaining", low=0)
    hint_after: int = parameter(5, "number of steps after which a branch can get hints", low=1)
    few_kept: int = parameter(2, "a branch with at most this many kept steps counts as weak", low=0)
    deeper_window: int = parameter(20, "number of last steps examined for the hint to go deeper", low=1)
    deeper_reach: float = parameter(0.3, "share of the farthest distance that counts as close to the baseline", low=0)
    coherent_window: int = parameter(5, "number of last steps examined for the hint to stay coherent", low=1)
    coherent_dimension: float = parameter(
        1.25, "effective dimension of its steps above which a branch counts as scattered", low=0
    )

    def next_move(self, history: History, rng: Random) -> Move:
        """Improve the best of all steps; after the fork, the best step of the next branch in turn."""
        fork = self._fork(history)
        count = 0 if fork is None else self._branches(history.budget - fork)
        if fork is None or count == 0:
            return climb(history, history.steps, self.debug_tries)
        place = (len(history) - 1 - fork) % count
        branch = _branch(history, fork, place, count)
        firsts = range(1 + fork, min(1 + fork + count, len(history)))
        journal = range(max(1, len(history) - _JOURNAL), len(history))
        move = climb(history, branch.steps, self.debug_tries)
        return move.model_copy(
            update={
                "context": tuple(sorted({*firsts, *journal})),
                "hint": self._hint(branch),
                "tags": {"branch": str(place + 1)},
            }
        )

    def _fork(self, history: History) -> int | None:
        """The number of steps after which the search first stagnated; None if it has not."""
        progress = _progress(history)
        for done in range(self.window + 1, len(progress)):
            if (progress[done] - progress[done - self.window]) / self.window <= self.slope:
                return done
        return None

    def _branches(self, left: int) -> int:
        return 0 if left <= self.last_steps else min(self.branches, math.ceil(left / self.branch_steps))

    def _hint(self, branch: "Branch") -> str:
        if not branch.own:
            return _FIRST
        if len(branch.own) < self.hint_after:
            return ""
        is_shallow = branch.kept(self.deeper_window) <= self.few_kept and branch.reach <= self.deeper_reach
        is_scattered = (
            branch.kept(self.coherent_window) <= self.few_kept and branch.dimension >= self.coherent_dimension
        )
        return " ".join([_DEEPER] * is_shallow + [_COHERENT] * is_scattered)


def _branch(history: History, fork: int, place: int, count: int) -> "Branch":
    """One of the branches: the first starts from the best step that greedy kept, the next from the one before."""
    roots = kept(history, history.steps[: fork + 1])[-count:][::-1]
    root = roots[place] if place < len(roots) else history[0]
    return Branch(history, root, history.steps[1 + fork + place :: count])


def _progress(history: History) -> list[float]:
    """The best improvement after every step, as a share of the range between worst and best possible score.

    If the baseline has no score, improvement is measured from the worst score.
    """
    metric = history.metric
    start = history[0].score if history[0].score is not None else metric.worst
    span = abs(metric.best - metric.worst) or 1.0
    gains = (0.0 if step.score is None else metric.gain(step.score, start) / span for step in history.proposed)
    return list(accumulate(gains, max, initial=0.0))


@dataclass(frozen=True)
class Branch:
    """Steps of a history that belong together, and the step they started from."""

    history: History
    root: Step
    own: Sequence[Step]

    @property
    def steps(self) -> Sequence[Step]:
        """The root and the steps of the branch."""
        return (self.root, *self.own)

    def kept(self, last: int) -> int:
        """The number of the last steps that were better than all before them in the branch."""
        return sum(step.index in self._kept for step in self.own[-last:])

    @property
    def reach(self) -> float:
        """The largest distance of its code from the baseline, as a share of the largest in the run."""
        farthest = max((sketch.distance for sketch in self._sketches.values()), default=0.0)
        return max((sketch.distance for sketch in self._own_sketches), default=0.0) / farthest if farthest else 0.0

    @property
    def dimension(self) -> float:
        """The effective dimension of its steps' moves away from the baseline."""
        return effective_dimension([sketch.shift for sketch in self._own_sketches])

    @cached_property
    def _kept(self) -> frozenset[int]:
        return frozenset(step.index for step in kept(self.history, self.steps))

    @cached_property
    def _sketches(self) -> dict[int, Sketch]:
        return sketches_in(self.history)

    @property
    def _own_sketches(self) -> list[Sketch]:
        return [self._sketches[step.index] for step in self.own if step.index in self._sketches]


def kept(history: History, steps: Sequence[Step]) -> list[Step]:
    """The steps that were better than all before them; the first step is only the reference."""
    best = steps[0].score
    better: list[Step] = []
    for step in steps[1:]:
        if history.metric.is_better(step.score, best):
            best = step.score
            better.append(step)
    return better
