import math

import pytest

from fmlbench.testing.histories import CRASH, ERROR, INFRA, combine, debug, draft, history_of, improve

TREE = history_of(0.5, draft(0.6), draft(CRASH), debug(CRASH, of=2), improve(0.9, of=1), combine(0.9, of=(4, 1)))


def test_the_best_is_the_first_of_the_best():
    assert TREE.best is TREE[4]
    assert history_of(0.5, 0.2, 0.3, 0.2, metric=ERROR).best_of(()) is None


def test_the_smallest_error_is_the_best():
    history = history_of(0.5, 0.2, 0.3, 0.2, metric=ERROR)
    assert history.best is history[1]


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("metric", [None, ERROR])
def test_a_score_that_is_not_finite_is_none_and_never_best(odd: float, metric: object):
    history = history_of(odd, 0.5, odd) if metric is None else history_of(odd, 0.5, odd, metric=ERROR)
    assert history.best is history[1]
    assert history[2].score is None
    assert history[2].has_failed


def test_there_is_no_best_step_without_a_score():
    assert history_of(CRASH, math.nan).best is None


def test_working_steps_exclude_the_baseline():
    assert [step.index for step in TREE.working] == [1, 4, 5]


def test_children_are_found_by_any_of_their_parents():
    assert [step.index for step in TREE.children_of(1)] == [4, 5]
    assert [step.index for step in TREE.children_of(4)] == [5]


def test_a_debug_chain_begins_with_the_failed_step():
    assert TREE.debug_chain(3) == [2, 3]
    assert (TREE.debug_depth(3), TREE.debug_depth(2), TREE.debug_depth(5)) == (1, 0, 0)


def test_only_failed_leaves_are_fixable():
    assert [step.index for step in TREE.fixable(3)] == [3]
    assert TREE.fixable(0) == []
    assert TREE.fixable(3, TREE.steps[:3]) == []


def test_infrastructure_failures_are_not_fixable():
    history = history_of(0.5, INFRA)
    assert not history[1].has_failed
    assert history.fixable(3) == []


def test_the_cached_score_is_not_part_of_the_record():
    looked_at, fresh = history_of(0.5)[0], history_of(0.5)[0]
    assert looked_at.score == 0.5
    assert looked_at == fresh
    assert looked_at.model_dump_json() == fresh.model_dump_json()
    assert repr(looked_at) == repr(fresh)
