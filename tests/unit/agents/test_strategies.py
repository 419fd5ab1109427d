import math
from random import Random

import pytest

from fmlbench.agents.script import ScriptedStep
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.agents.strategies.scripted import ScriptedStrategy
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import History, Move, Operator
from fmlbench.testing.histories import CRASH, ERROR, INFRA, debug, draft, history_of, improve


def decide(strategy: Greedy | RandomSearch, history: History, seed: int = 0) -> tuple[Operator, tuple[int, ...]]:
    move = strategy.next_move(history, Random(seed))
    return move.operator, move.parents


class TestGreedy:
    def test_debugs_a_crash_before_moving_on(self):
        move = Greedy().next_move(history_of(0.1, 0.9, CRASH), Random(0))
        assert (move.operator, move.parents) == (Operator.DEBUG, (2,))

    def test_improves_the_best_step(self):
        assert decide(Greedy(), history_of(0.1, 0.9, 0.5)) == (Operator.IMPROVE, (1,))

    def test_improves_the_smallest_error_where_errors_are_counted(self):
        assert decide(Greedy(), history_of(0.5, 0.9, 0.2, 0.4, metric=ERROR)) == (Operator.IMPROVE, (2,))

    def test_goes_back_to_the_baseline_when_nothing_beat_it(self):
        assert decide(Greedy(), history_of(0.5, 0.4, 0.5)) == (Operator.IMPROVE, (0,))

    def test_debugs_a_failed_fix_again(self):
        assert decide(Greedy(), history_of(0.5, CRASH, debug(CRASH, of=1))) == (Operator.DEBUG, (2,))

    def test_gives_a_crash_up_after_two_tries(self):
        history = history_of(0.5, CRASH, debug(CRASH, of=1), debug(CRASH, of=2))
        assert decide(Greedy(), history) == (Operator.IMPROVE, (0,))

    def test_gives_up_a_crash_at_once_without_debug_tries(self):
        assert decide(Greedy(debug_tries=0), history_of(0.5, CRASH)) == (Operator.IMPROVE, (0,))

    def test_counts_tries_afresh_for_a_new_crash(self):
        history = history_of(0.5, CRASH, debug(CRASH, of=1), debug(CRASH, of=2), improve(CRASH, of=0))
        assert decide(Greedy(), history) == (Operator.DEBUG, (4,))

    @pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.OK, Outcome.INFRA}))
    def test_fixes_every_failure_caused_by_the_candidate(self, outcome: Outcome):
        assert decide(Greedy(), history_of(0.5, outcome)) == (Operator.DEBUG, (1,))

    def test_does_not_fix_infrastructure_failures(self):
        assert decide(Greedy(), history_of(0.5, INFRA)) == (Operator.IMPROVE, (0,))

    def test_fixes_a_step_whose_score_is_nan(self):
        assert decide(Greedy(), history_of(0.5, math.nan)) == (Operator.DEBUG, (1,))

    def test_never_debugs_the_baseline(self):
        assert decide(Greedy(), history_of(CRASH)) == (Operator.IMPROVE, (0,))


class TestRandomSearch:
    def test_goes_on_from_any_step_that_has_a_score(self):
        history = history_of(0.5, 0.1, CRASH, math.nan, draft(0.3))
        parents = {decide(RandomSearch(), history, seed)[1] for seed in range(100)}
        assert parents == {(0,), (1,), (4,)}

    def test_draws_every_such_step_about_equally_often(self):
        history = history_of(0.5, 0.9, 0.1)
        rng = Random(0)
        drawn = [RandomSearch().next_move(history, rng).parents[0] for _ in range(3000)]
        assert all(900 < drawn.count(step) < 1100 for step in range(3))

    def test_starts_from_the_baseline_where_nothing_has_a_score(self):
        assert decide(RandomSearch(), history_of(CRASH, CRASH)) == (Operator.IMPROVE, (0,))


class TestRepeat:
    def test_drafts_for_ever(self):
        assert Repeat().next_move(history_of(0.5, *[0.5] * 50), Random(0)) == Move(operator=Operator.DRAFT)

    def test_is_done_after_so_many_times(self):
        once = Repeat(times=1)
        assert once.next_move(history_of(0.5), Random(0)) == Move(operator=Operator.DRAFT)
        assert once.next_move(history_of(0.5, draft(CRASH)), Random(0)) is None


class TestScripted:
    def test_makes_the_scripted_moves_in_order(self):
        script = (ScriptedStep(idea="a"), ScriptedStep(idea="b", operator=Operator.DEBUG, parents=(1,)))
        first = ScriptedStrategy(script).next_move(history_of(0.5), Random(0))
        second = ScriptedStrategy(script).next_move(history_of(0.5, 0.6), Random(0))
        assert first == Move(operator=Operator.DRAFT)
        assert second == Move(operator=Operator.DEBUG, parents=(1,))

    def test_is_done_when_the_script_ends(self):
        assert ScriptedStrategy((ScriptedStep(idea="a"),)).next_move(history_of(0.5, 0.6), Random(0)) is None
