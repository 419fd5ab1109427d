"""Islands of elites: each keeps the best step of every kind, and sends its best to its neighbours now and then.

A kind is a cell of a grid: how long the code is, and how unlike other code. A step that does not win its cell is gone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from fmlbench.agents.strategies.sketches import sketches_in
from fmlbench.core.metric import Goal
from fmlbench.core.steps import History, Step

Cell = tuple[int, int]
_NO_FEATURES = (0.0, 0.0)


@dataclass
class Island:
    """The elites of one island, by cell; ``natives`` are those that did not come from elsewhere."""

    elites: dict[Cell, Step] = field(default_factory=dict[Cell, Step])
    natives: set[int] = field(default_factory=set[int])


class Archipelago:
    """All islands as they are after some of a history's steps; steps are shared out in turn."""

    def __init__(self, history: History, steps: int, *, islands: int, bins: int, interval: int, share: float) -> None:
        self.islands = [Island() for _ in range(islands)]
        self._is_better = history.metric.is_better
        self._best_first = _best_first(history)
        self._features = {step: (float(it.size), it.diversity) for step, it in sketches_in(history).items()}
        self._bins, self._share = bins, share
        self._low, self._high = [float("inf")] * 2, [float("-inf")] * 2
        for island in self.islands:
            self._land(history[0], island, is_native=True)
        for index in range(1, steps):
            self._land(history[index], self.islands[(index - 1) % islands], is_native=True)
            if index % (islands * interval) == 0:
                self._migrate()

    def ranked(self, island: Island) -> list[Step]:
        """An island's elites, the best first."""
        return sorted(island.elites.values(), key=self._best_first)

    def archive(self, size: int) -> list[Step]:
        """The best elites of all islands."""
        elites = {step.index: step for island in self.islands for step in island.elites.values()}
        return sorted(elites.values(), key=self._best_first)[:size]

    def neighbours(self, island: Island, step: Step, bins: int) -> list[Step]:
        """Elites of cells near to a step's."""
        here = self._cell(step)
        near = [cell for cell in island.elites if all(abs(a - b) <= bins for a, b in zip(cell, here, strict=True))]
        return [island.elites[cell] for cell in sorted(near)]

    def _land(self, step: Step, island: Island, *, is_native: bool) -> None:
        """Let a step compete for its cell."""
        if step.score is None:
            return
        cell = self._cell(step)
        holder = island.elites.get(cell)
        if holder is None or self._is_better(step.score, holder.score):
            island.elites[cell] = step
            if is_native:
                island.natives.add(step.index)

    def _cell(self, step: Step) -> Cell:
        """A step's place between the smallest and the largest features seen so far."""
        features = self._features.get(step.index, _NO_FEATURES)
        cell: list[int] = []
        for axis, value in enumerate(features):
            low = self._low[axis] = min(self._low[axis], value)
            high = self._high[axis] = max(self._high[axis], value)
            place = (value - low) / (high - low) if high > low else 0.0
            cell.append(min(self._bins - 1, int(place * self._bins)))
        return cell[0], cell[1]

    def _migrate(self) -> None:
        """Send copies of every island's best natives to the islands beside it; migrants travel only once."""
        count = len(self.islands)
        travelling: list[tuple[Step, Island]] = []
        for place, island in enumerate(self.islands):
            natives = [step for step in self.ranked(island) if step.index in island.natives]
            beside = {(place - 1) % count, (place + 1) % count} - {place}
            best = natives[: max(1, int(len(natives) * self._share))]
            travelling += [(step, self.islands[other]) for step in best for other in sorted(beside)]
        for step, island in travelling:
            self._land(step, island, is_native=False)


def _best_first(history: History) -> Callable[[Step], tuple[float, int]]:
    """A key that sorts steps with a score by it, and equal ones by age."""
    sign = -1 if history.metric.goal is Goal.MAXIMIZE else 1
    return lambda step: (sign * (step.score or 0.0), step.index)
