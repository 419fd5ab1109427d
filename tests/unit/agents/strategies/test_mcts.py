import math

import pytest

from fmlbench.agents.strategies.mcts import MonteCarlo
from fmlbench.core.steps import Operator
from fmlbench.testing.histories import CRASH, ERROR, INFRA, debug, draft, history_of, improve
from tests.unit.agents.strategies.deciding import decide, move_of

TWO = (draft(0.4), draft(0.8))


def test_expands_the_root_by_two_drafts():
    assert decide(MonteCarlo(), history_of(0.5)) == (Operator.DRAFT, (0,))
    assert decide(MonteCarlo(), history_of(0.5, draft(0.9))) == (Operator.DRAFT, (0,))


def test_descends_to_the_better_draft():
    assert decide(MonteCarlo(), history_of(0.5, *TWO)) == (Operator.IMPROVE, (2,))
    assert decide(MonteCarlo(), history_of(0.5, *TWO, metric=ERROR)) == (Operator.IMPROVE, (1,))


def test_finishes_an_expansion_before_it_descends_again():
    assert decide(MonteCarlo(), history_of(0.5, *TWO, improve(0.1, of=2))) == (Operator.IMPROVE, (2,))


def test_comes_back_to_what_was_seldom_visited():
    """Of seven visits, 2 has six: 0.9 + c sqrt(ln 7 / 6) against 0.8 + c sqrt(ln 7 / 1)."""
    history = history_of(
        0.5, draft(0.8), draft(0.9), *(improve(0.9, of=parent) for parent in (2, 2, 3, 3)), improve(0.0, of=4)
    )
    settled = history_of(0.5, *[draft(0.8), draft(0.9)], *(improve(0.9, of=parent) for parent in (2, 2, 3, 3)))
    assert decide(MonteCarlo(), settled) == (Operator.IMPROVE, (1,))
    assert decide(MonteCarlo(exploration=0.0), settled)[1] != (1,)
    assert decide(MonteCarlo(), history) == (Operator.IMPROVE, (4,))


def test_uct_is_what_the_paper_says():
    """Worked out by hand. Scores 0.2, 0.6, 1.0 and 0.7 span 0.2 to 1.0.

    Draft 1: one visit, quality (0.2 - 0.2) / 0.8 = 0; draft 2: three visits, mean (0.6 + 1.0 + 0.7) / 3 = 0.7667,
    quality 0.7083. With N = 4: 0 + c sqrt(ln 4 / 1) against 0.7083 + c sqrt(ln 4 / 3): they meet at c = 1.4235.
    """
    history = history_of(0.5, draft(0.2), draft(0.6), improve(1.0, of=2), improve(0.7, of=2))
    meeting = 0.70833 / (math.sqrt(math.log(4)) - math.sqrt(math.log(4) / 3))
    assert decide(MonteCarlo(exploration=meeting * 0.999), history) == (Operator.IMPROVE, (3,))
    assert decide(MonteCarlo(exploration=meeting * 1.001), history) == (Operator.IMPROVE, (1,))


def test_visits_decide_between_equal_scores():
    history = history_of(0.5, draft(0.5), draft(0.5), improve(0.5, of=1), improve(0.5, of=1))
    assert decide(MonteCarlo(), history) == (Operator.IMPROVE, (2,))


def test_fixes_a_failed_candidate_at_most_three_times_in_a_row():
    history = history_of(0.5, draft(0.4), draft(CRASH), debug(CRASH, of=2))
    assert decide(MonteCarlo(), history) == (Operator.DEBUG, (3,))
    assert move_of(MonteCarlo(), history).context == (2, 3)
    history = history_of(0.5, draft(0.4), draft(CRASH), *(debug(CRASH, of=step) for step in (2, 3, 4)))
    assert decide(MonteCarlo(), history) == (Operator.IMPROVE, (1,))


def test_a_fixed_step_represents_its_candidate():
    history = history_of(0.5, draft(0.4), draft(CRASH), debug(0.9, of=2))
    assert decide(MonteCarlo(), history) == (Operator.IMPROVE, (3,))


def test_a_candidate_that_was_never_fixed_is_never_visited():
    history = history_of(0.5, draft(CRASH), *(debug(CRASH, of=step) for step in (1, 2, 3)), draft(0.1))
    assert decide(MonteCarlo(), history) == (Operator.IMPROVE, (5,))


def test_a_step_whose_candidates_all_failed_gets_another():
    history = history_of(0.5, draft(CRASH), draft(CRASH))
    assert decide(MonteCarlo(debug_depth=0), history) == (Operator.DRAFT, (0,))
    history = history_of(0.5, draft(0.4), draft(0.3), improve(CRASH, of=1), improve(CRASH, of=1))
    assert decide(MonteCarlo(debug_depth=0), history) == (Operator.IMPROVE, (1,))


def test_failures_pass_nothing_up():
    """Were the two failures visits, draft 1 would look well explored."""
    failures = (improve(CRASH, of=1), improve(CRASH, of=1))
    history = history_of(0.5, draft(0.5), draft(0.5), *failures, improve(0.5, of=1), improve(0.5, of=2))
    assert decide(MonteCarlo(debug_depth=0), history) == (Operator.IMPROVE, (2,))


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_counts_as_a_failure(score: float):
    assert decide(MonteCarlo(), history_of(0.5, draft(0.4), draft(score))) == (Operator.DEBUG, (2,))
    assert decide(MonteCarlo(debug_depth=0), history_of(0.5, draft(0.4), draft(score))) == (Operator.IMPROVE, (1,))


def test_does_not_fix_infrastructure_failures():
    assert decide(MonteCarlo(), history_of(0.5, draft(0.4), draft(INFRA))) == (Operator.IMPROVE, (1,))


def test_shows_the_siblings_so_that_candidates_differ():
    assert move_of(MonteCarlo(), history_of(0.5, *TWO, improve(0.1, of=2))).context == (3,)
