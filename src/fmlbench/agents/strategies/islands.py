"""Islands of elites: each keeps the best step of every grid cell and sometimes sends its best to its neighbours.

The grid's dimensions are the length of the code and its difference from other code. A step that does not win its cell
is dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from fmlbench.agents.strategies.sketches import sketches_in
from fmlbench.core.evaluation import Goal
from fmlbench.core.notes import Sketch
from fmlbench.core.steps import History

Cell = tuple[int, int]
_NOTHING = Sketch(size=0, diversity=0.0, shift=())


@dataclass
class Island:
    """The elites of one island, by cell; ``natives`` did not come from other islands."""

    elites: dict[Cell, int] = field(default_factory=dict[Cell, int])
    natives: set[int] = field(default_factory=set[int])


class Archipelago:
    """All islands after the first steps of a history; steps are assigned to islands in turn."""

    def __init__(self, history: History, steps: int, *, islands: int, bins: int, interval: int, share: float) -> None:
        self.islands = [Island() for _ in range(islands)]
        self._cells = _cells(history, bins)
        self._share = share
        sign = 1 if history.metric.goal is Goal.MAXIMIZE else -1
        self._fitness = {step.index: sign * step.score for step in history.steps if step.score is not None}
        for island in self.islands:
            self._land(0, island)
        for step in range(1, steps):
            island = self.islands[(step - 1) % islands]
            if self._land(step, island):
                island.natives.add(step)
            if step % (islands * interval) == 0:
                self._migrate()

    def ranked(self, island: Island) -> list[int]:
        """An island's elites, the best first."""
        return self._best_first(island.elites.values())

    def archive(self, size: int) -> list[int]:
        """The best elites of all islands."""
        return self._best_first({step for island in self.islands for step in island.elites.values()})[:size]

    def neighbours(self, island: Island, step: int, bins: int) -> list[int]:
        """Elites in cells near that of a step."""
        row, column = self._cells[step]
        near = [cell for cell in island.elites if abs(cell[0] - row) <= bins and abs(cell[1] - column) <= bins]
        return [island.elites[cell] for cell in sorted(near)]

    def _land(self, step: int, island: Island) -> bool:
        """Put a step into its cell if it is better than the current elite; return whether it was."""
        cell, fitness = self._cells[step], self._fitness
        holder = island.elites.get(cell)
        if step not in fitness or (holder is not None and fitness[step] <= fitness[holder]):
            return False
        island.elites[cell] = step
        return True

    def _migrate(self) -> None:
        """Copy every island's best natives to its neighbours; a step migrates only once."""
        count = len(self.islands)
        travelling: list[tuple[int, Island]] = []
        for place, island in enumerate(self.islands):
            natives = self._best_first(island.natives.intersection(island.elites.values()))
            beside = sorted({(place - 1) % count, (place + 1) % count} - {place})
            best = natives[: max(1, int(len(natives) * self._share))] if self._share else []
            travelling += [(step, self.islands[other]) for step in best for other in beside]
        for step, island in travelling:
            self._land(step, island)

    def _best_first(self, steps: Iterable[int]) -> list[int]:
        """Sorted by fitness, ties by age."""
        return sorted(sorted(steps), key=self._fitness.__getitem__, reverse=True)


def _cells(history: History, bins: int) -> list[Cell]:
    """The cell of every step, scaled by the smallest and largest features up to that step."""
    known = sketches_in(history)
    sketches = [known.get(index, _NOTHING) for index in range(len(history))]
    rows = _bins_of([sketch.size for sketch in sketches], bins)
    columns = _bins_of([sketch.diversity for sketch in sketches], bins)
    return list(zip(rows, columns, strict=True))


def _bins_of(values: list[int] | list[float], bins: int) -> list[int]:
    feature = np.array(values, dtype=float)
    low, high = np.minimum.accumulate(feature), np.maximum.accumulate(feature)
    positions = (feature - low) / np.where(high > low, high - low, 1.0)
    return np.minimum(bins - 1, (positions * bins).astype(int)).tolist()
