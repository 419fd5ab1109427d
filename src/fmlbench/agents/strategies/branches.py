"""One of several greedy searches: the step it started from and its later steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fmlbench.agents.strategies.sketches import Sketch, effective_dimension, sketches_in
from fmlbench.core.steps import History, Step


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
