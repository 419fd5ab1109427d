import math

from fmlbench.agents.strategies.aide import Aide
from fmlbench.core.steps import Operator
from fmlbench.testing.histories import CRASH, ERROR, INFRA, debug, draft, history_of, improve
from tests.unit.agents.strategies.deciding import decide, decisions, move_of, share_of

FIVE = (draft(0.6), draft(0.8), draft(CRASH), draft(0.4), draft(CRASH))


def test_begins_with_five_drafts_whatever_comes_of_them():
    for done in range(5):
        assert decisions(Aide(), history_of(0.5, *FIVE[:done])) == {(Operator.DRAFT, (0,))}


def test_then_fixes_a_failed_leaf_or_improves_the_best():
    assert decisions(Aide(), history_of(0.5, *FIVE)) == {
        (Operator.DEBUG, (3,)),
        (Operator.DEBUG, (5,)),
        (Operator.IMPROVE, (2,)),
    }


def test_does_one_as_often_as_the_other():
    assert 0.45 < share_of(Operator.DEBUG, Aide(), history_of(0.5, *FIVE)) < 0.55
    assert share_of(Operator.DEBUG, Aide(debug_chance=0.0), history_of(0.5, *FIVE)) == 0
    assert share_of(Operator.DEBUG, Aide(debug_chance=1.0), history_of(0.5, *FIVE)) == 1


def test_improves_the_smallest_error_where_errors_are_counted():
    history = history_of(0.5, draft(0.6), draft(0.8), draft(0.3), draft(0.4), draft(0.7), metric=ERROR)
    assert decisions(Aide(), history) == {(Operator.IMPROVE, (3,))}


def test_the_baseline_is_the_root_and_not_a_step_to_improve():
    assert decisions(Aide(), history_of(0.9, *[draft(0.5)] * 5)) == {(Operator.IMPROVE, (1,))}


def test_leaves_a_broken_step_alone_that_was_built_on():
    assert (Operator.DEBUG, (3,)) not in decisions(Aide(), history_of(0.5, *FIVE, debug(CRASH, of=3)))


def test_gives_up_after_a_fourth_repair():
    chain = [debug(CRASH, of=step) for step in (5, 6, 7)]
    history = history_of(0.5, draft(0.6), draft(0.6), draft(0.6), draft(0.6), draft(CRASH), *chain)
    assert (Operator.DEBUG, (8,)) in decisions(Aide(), history)
    given_up = history_of(0.5, draft(0.6), draft(0.6), draft(0.6), draft(0.6), draft(CRASH), *chain, debug(CRASH, of=8))
    assert decisions(Aide(), given_up) == {(Operator.IMPROVE, (1,))}


def test_drafts_again_if_nothing_works_and_nothing_is_fixed():
    assert decide(Aide(debug_chance=0.0), history_of(0.5, *[draft(CRASH)] * 5)) == (Operator.DRAFT, (0,))


def test_a_score_that_is_no_number_is_broken_and_never_best():
    history = history_of(0.5, draft(0.3), *[draft(math.nan)] * 4)
    assert (Operator.IMPROVE, (1,)) in decisions(Aide(), history)
    assert {parents for operator, parents in decisions(Aide(), history) if operator is Operator.IMPROVE} == {(1,)}


def test_does_not_fix_infrastructure_failures():
    assert decisions(Aide(), history_of(0.5, *[draft(0.5)] * 4, draft(INFRA))) == {(Operator.IMPROVE, (1,))}


def test_remembers_every_step_that_works():
    assert move_of(Aide(debug_chance=0.0), history_of(0.5, *FIVE, improve(0.1, of=2))).context == (1, 2, 4, 6)
