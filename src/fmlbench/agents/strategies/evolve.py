"""Evolution on islands with a grid of elites, as in OpenEvolve, after AlphaEvolve (Novikov et al., arXiv 2506.13131).

A generation is one step on every island; its decisions use only earlier generations. Failed code is fixed or dropped,
while the original would evolve it further. The grid's dimensions are the length of the code and its difference from
other code; each island keeps the best step of every cell and sometimes sends its best to its neighbours.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from fmlbench.agents.settings import parameter
from fmlbench.agents.strategies.sketches import sketches_in
from fmlbench.core.evaluation import Goal
from fmlbench.core.notes import Sketch
from fmlbench.core.steps import History, Move, Operator

Cell = tuple[int, int]
_NOTHING = Sketch(size=0, diversity=0.0, shift=())
_NEAR_BINS = 2
_SHOWN_TOP, _SHOWN_LAST = 3, 8
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class Evolve:
    """Choose a parent on the next island in turn and combine it with other elites."""

    islands: int = parameter(3, "number of populations that evolve in parallel", low=1)
    bins: int = parameter(5, "number of bins of the elite grid in each of its two dimensions", low=1)
    archive: int = parameter(30, "number of elites of all islands in the archive", low=1)
    exploration: float = parameter(
        0.2, "probability that the parent is a random elite of the island or a failed step", low=0, high=1
    )
    exploitation: float = parameter(
        0.7, "probability that the parent is from the archive; otherwise it is sampled by score", low=0, high=1
    )
    inspirations: int = parameter(3, "maximum number of other elites shown to a step", low=0)
    migration_interval: int = parameter(10, "number of generations between migrations", low=1)
    migration_share: float = parameter(0.1, "share of an island's native elites that migrate", low=0, high=1)
    debug_chance: float = parameter(0.3, "probability that a failed step, once chosen, is fixed", low=0, high=1)
    debug_depth: int = parameter(2, "maximum number of consecutive attempts to fix a failed step", low=0)

    def __post_init__(self) -> None:
        if self.exploration + self.exploitation > 1 + 1e-9:
            raise ValueError("exploration plus exploitation must be at most 1")

    def next_move(self, history: History, rng: Random) -> Move:
        """Debug a failed step or breed from a good one, on the next island in turn."""
        generation, place = divmod(len(history) - 1, self.islands)
        known = 1 + generation * self.islands
        sea = Archipelago(
            history,
            known,
            islands=self.islands,
            bins=self.bins,
            interval=self.migration_interval,
            share=self.migration_share,
        )
        island, born = sea.islands[place], range(1 + place, known, self.islands)
        tags = {"island": str(place + 1)}
        if not island.elites:
            return Move(operator=Operator.IMPROVE, tags=tags)
        parent = self._parent(history, sea, island, born, rng)
        if history[parent].has_failed:
            return Move(operator=Operator.DEBUG, parents=(parent,), tags=tags)
        return self._breed(parent, sea, island, born, rng).model_copy(update={"tags": tags})

    def _parent(self, history: History, sea: "Archipelago", island: "Island", born: Sequence[int], rng: Random) -> int:
        elites = sea.ranked(island)
        chance = rng.random()
        if chance < self.exploration:
            failed = history.fixable(self.debug_depth - 1, [history[step] for step in born])
            chosen = rng.choice([*elites, *(step.index for step in failed)])
            is_accepted = history[chosen].score is not None or rng.random() < self.debug_chance
            return chosen if is_accepted else rng.choice(elites)
        if chance < self.exploration + self.exploitation:
            archive = sea.archive(self.archive)
            return rng.choice([step for step in archive if step in elites] or archive)
        return rng.choices(elites, _weights(history, elites))[0]

    def _breed(self, parent: int, sea: "Archipelago", island: "Island", born: Sequence[int], rng: Random) -> Move:
        elites = sea.ranked(island)
        wanted = [*elites[: max(1, len(elites) // 10)], *sea.neighbours(island, parent, _NEAR_BINS)]
        wanted += rng.sample(elites, len(elites))
        inspiring = _others(parent, wanted)[: self.inspirations]
        # The baseline has no changes to combine with others.
        parents = (parent, *inspiring[:1]) if parent else (parent,)
        shown = [*inspiring, *elites[:_SHOWN_TOP], *born[-_SHOWN_LAST:]]
        return Move(
            operator=Operator.COMBINE if len(parents) > 1 else Operator.IMPROVE,
            parents=parents,
            context=tuple(step for step in _others(parent, shown) if step not in parents),
        )


def _others(parent: int, steps: Iterable[int]) -> list[int]:
    """The steps without duplicates, without the parent and without the baseline, which has no changes."""
    return [step for step in dict.fromkeys(steps) if step not in {0, parent}]


def _weights(history: History, elites: Sequence[int]) -> list[float]:
    """The scores, reversed if lower is better."""
    scores = [history[step].score or 0.0 for step in elites]
    if history.metric.goal is Goal.MINIMIZE:
        scores = [max(scores) + min(scores) - score for score in scores]
    return [max(_LEAST_WEIGHT, score) for score in scores]


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
