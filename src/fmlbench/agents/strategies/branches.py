"""One climb among several: the step it began with and those made since."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fmlbench.agents.strategies.sketches import Sketch, effective_dimension, sketches_in
from fmlbench.core.steps import History, Step


@dataclass(frozen=True)
class Branch:
    """Some steps of a history on top of a root that is none of them."""

    history: History
    root: Step
    own: Sequence[Step]

    @property
    def steps(self) -> Sequence[Step]:
        """The root and the branch's own steps."""
        return (self.root, *self.own)

    def kept(self, last: int) -> int:
        """How many of the last steps were better than all before them in the branch."""
        return sum(step.index in self._kept for step in self.own[-last:])

    @property
    def reach(self) -> float:
        """How far from the baseline its code has come, as a share of the farthest of the whole run."""
        farthest = max((sketch.distance for sketch in self._sketches.values()), default=0.0)
        return max((sketch.distance for sketch in self._own_sketches), default=0.0) / farthest if farthest else 0.0

    @property
    def dimension(self) -> float:
        """In how many directions its steps moved away from the baseline."""
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
    """Those of some steps that were better than all before them; the first is only compared with."""
    best = steps[0].score
    better: list[Step] = []
    for step in steps[1:]:
        if history.metric.is_better(step.score, best):
            best = step.score
            better.append(step)
    return better
