import math
from collections import Counter

import pytest

from fmlbench.agents.strategies.evolve import Archipelago, Evolve
from fmlbench.core.steps import Operator
from fmlbench.testing.histories import CRASH, ERROR, Result, debug, history_of
from tests.unit.agents.strategies.deciding import decide, decisions, move_of, share_of, sketched

# With sizes 0 and 100 and five bins, every twenty letters are a cell of their own.
BASELINE, LARGE = sketched(0, size=0), sketched(1, size=100)


def parents_of(strategy: Evolve, *results: Result, seeds: int = 300) -> set[int]:
    return {parents[0] for _, parents in decisions(strategy, history_of(*results), seeds)}


class TestTurns:
    def test_islands_take_turns(self):
        islands = [move_of(Evolve(), history_of(0.5, *[0.6] * done)).tags["island"] for done in range(7)]
        assert islands == ["1", "2", "3", "1", "2", "3", "1"]

    def test_a_generation_knows_nothing_of_its_own_steps(self):
        assert parents_of(Evolve(), 0.5, 0.9) == {0}
        assert parents_of(Evolve(), 0.5, 0.9, 0.9) == {0}
        assert 1 in parents_of(Evolve(), 0.5, 0.9, 0.8, 0.7)

    def test_not_even_of_what_its_other_islands_put_into_the_archive(self):
        assert parents_of(Evolve(islands=2, archive=1), 0.5, 0.9) == {0}

    def test_an_island_breeds_its_own(self):
        first = history_of(0.5, 0.9, 0.8, 0.7)
        second = history_of(0.5, 0.9, 0.8, 0.7, 0.1)
        assert decisions(Evolve(), first) == {(Operator.IMPROVE, (1,))}
        assert decisions(Evolve(), second) == {(Operator.IMPROVE, (2,))}


class TestElites:
    def elites(self, *sizes_and_scores: tuple[int, float], better: str = "more") -> set[int]:
        scores = [score for _, score in sizes_and_scores]
        notes = [sketched(step, size=size) for step, (size, _) in enumerate(sizes_and_scores)]
        history = (
            history_of(*scores, notes=notes) if better == "more" else history_of(*scores, notes=notes, metric=ERROR)
        )
        sea = Archipelago(history, len(history), islands=1, bins=5, interval=100, share=0.1)
        return set(sea.ranked(sea.islands[0]))

    def test_of_one_kind_only_the_best_is_kept(self):
        assert self.elites((0, 0.5), (100, 0.6), (99, 0.7), (98, 0.65)) == {0, 2}
        assert self.elites((0, 0.5), (100, 0.6), (99, 0.7), (98, 0.55), better="less") == {0, 3}

    def test_something_worse_but_different_is_kept_too(self):
        assert self.elites((0, 0.5), (100, 0.6), (50, 0.1)) == {0, 1, 2}

    def test_of_equals_the_older_is_kept(self):
        assert self.elites((0, 0.5), (100, 0.6), (100, 0.6)) == {0, 1}

    def test_what_has_no_score_is_no_elite(self):
        assert self.elites((0, 0.5), (100, math.nan), (50, math.inf)) == {0}


class TestMigration:
    def sea(self, steps: int) -> Archipelago:
        """Three islands, one generation between migrations, every step a kind of its own."""
        scores = [0.5, 0.9, 0.6, 0.7, 0.1, 0.1, 0.1]
        sizes = [0, 100, 20, 40, 60, 80, 90]
        notes = [sketched(step, size=size) for step, size in enumerate(sizes)]
        return Archipelago(history_of(*scores, notes=notes), steps, islands=3, bins=50, interval=1, share=0.1)

    def test_the_best_of_each_island_goes_to_both_neighbours(self):
        assert [set(self.sea(3).ranked(island)) for island in self.sea(3).islands] == [{0, 1}, {0, 2}, {0}]
        assert [set(self.sea(4).ranked(island)) for island in self.sea(4).islands] == [{0, 1, 2, 3}] * 3

    def test_migrants_travel_only_once(self):
        """Of four islands in a ring, the first and the third are not neighbours."""
        notes = [sketched(step, size=size) for step, size in enumerate((0, 100, 10, 20, 30, 40, 50, 60, 70))]
        history = history_of(0.5, 0.9, *[0.1] * 7, notes=notes)
        sea = Archipelago(history, 9, islands=4, bins=50, interval=1, share=0.1)
        assert [1 in sea.ranked(island) for island in sea.islands] == [True, True, False, True]

    def test_a_single_island_has_no_neighbours(self):
        sea = Archipelago(history_of(0.5, 0.6, 0.7), 3, islands=1, bins=5, interval=1, share=0.5)
        assert sea.ranked(sea.islands[0]) == [2]


class TestParents:
    def test_are_mostly_from_the_archive_sometimes_any_and_else_by_score(self):
        """Elites 1 (0.9) and 2 (0.1); the archive holds only the first.

        Step 2 is drawn in exploring, 0.2 / 2, and by its weight, 0.1 x 0.1 / (0.9 + 0.1 + the baseline's 0.5).
        """
        notes = [BASELINE, LARGE, sketched(2, size=50)]
        history = history_of(0.5, 0.9, 0.1, notes=notes)
        strategy = Evolve(islands=1, archive=1)
        drawn = Counter(decide(strategy, history, seed)[1][0] for seed in range(4000))
        assert drawn[2] / 4000 == pytest.approx(0.2 / 3 + 0.1 * 0.1 / 1.5, abs=0.015)
        assert drawn[0] / 4000 == pytest.approx(0.2 / 3 + 0.1 * 0.5 / 1.5, abs=0.015)

    def test_small_errors_weigh_more_than_large_ones(self):
        notes = [BASELINE, LARGE, sketched(2, size=50)]
        history = history_of(0.5, 0.9, 0.1, notes=notes, metric=ERROR)
        strategy = Evolve(islands=1, exploration=0.0, exploitation=0.0)
        drawn = Counter(decide(strategy, history, seed)[1][0] for seed in range(3000))
        assert drawn[2] / 3000 == pytest.approx(0.9 / 1.5, abs=0.03)
        assert drawn[1] / 3000 == pytest.approx(0.1 / 1.5, abs=0.03)

    def test_a_failure_is_rarely_chosen_and_fixed_by_chance(self):
        """Half of the exploring choices hit the failure, three in ten of those are fixed."""
        history = history_of(0.5, CRASH)
        assert share_of(Operator.DEBUG, Evolve(islands=1), history, 4000) == pytest.approx(0.2 * 0.5 * 0.3, abs=0.01)
        certain = Evolve(islands=1, exploration=1.0, exploitation=0.0, debug_chance=1.0)
        assert decisions(certain, history) == {(Operator.DEBUG, (1,)), (Operator.IMPROVE, (0,))}

    def test_gives_a_failure_up_after_two_repairs(self):
        certain = Evolve(islands=1, exploration=1.0, exploitation=0.0, debug_chance=1.0)
        once = history_of(0.5, CRASH, debug(CRASH, of=1))
        assert (Operator.DEBUG, (2,)) in decisions(certain, once)
        twice = history_of(0.5, CRASH, debug(CRASH, of=1), debug(CRASH, of=2))
        assert decisions(certain, twice) == {(Operator.IMPROVE, (0,))}

    def test_starts_from_the_baseline_where_nothing_works(self):
        assert decisions(Evolve(), history_of(CRASH, CRASH, CRASH, CRASH)) == {(Operator.IMPROVE, (0,))}

    def test_chances_of_more_than_one_are_refused(self):
        with pytest.raises(ValueError, match="must be at most 1"):
            Evolve(exploration=0.6, exploitation=0.6)


class TestInspirations:
    notes = [BASELINE, LARGE, sketched(2, size=50), sketched(3, size=70)]

    def test_a_parent_is_combined_with_the_best_of_its_island_or_the_best_with_one_nearby(self):
        history = history_of(0.5, 0.9, 0.7, 0.6, notes=self.notes)
        assert decisions(Evolve(islands=1), history) == {
            (Operator.IMPROVE, (0,)),
            (Operator.COMBINE, (1, 2)),
            (Operator.COMBINE, (2, 1)),
            (Operator.COMBINE, (3, 1)),
        }

    def test_the_baseline_has_nothing_to_combine_but_may_be_inspired(self):
        history = history_of(0.5, 0.9, 0.7, 0.6, notes=self.notes)
        baseline = next(
            move for seed in range(99) if (move := move_of(Evolve(islands=1), history, seed)).parents[0] == 0
        )
        assert baseline.context == (1, 2, 3)

    def test_without_inspirations_it_improves(self):
        history = history_of(0.5, 0.9, 0.7, 0.6, notes=self.notes)
        assert {operator for operator, _ in decisions(Evolve(islands=1, inspirations=0), history)} == {Operator.IMPROVE}

    def test_shows_the_best_and_the_latest_of_the_island(self):
        move = move_of(Evolve(islands=1), history_of(0.5, 0.9, 0.7, 0.6, CRASH, notes=self.notes))
        assert {*move.parents, *move.context} >= {1, 2, 3, 4}
