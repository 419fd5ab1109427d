import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.metrics import performance
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.trace import Trace
from tests.unit.metrics.traces import CRASH, DOWN, trace


def test_improvement_is_the_share_of_the_way_from_the_baseline_to_a_perfect_score():
    # Baseline 0.5 again; the winner goes from 0.5 to 0.7 of the way to 1: 0.2 / 0.5.
    run = trace(0.8, retests=([0.7, 0.6, 0.8], [0.5, 0.4, 0.6]))
    assert performance.improvement(run) == pytest.approx(0.4)
    assert performance.normalised_improvement(run) == pytest.approx(0.2)
    assert performance.retest_score(run) == pytest.approx(0.7)


def test_the_direction_of_the_metric_decides_what_is_better():
    # An error that falls from 0.5 to 0.4 goes 0.1 / 0.5 of the way to 0.
    run = trace(0.3, metric=DOWN, retests=([0.4, 0.4], [0.5, 0.5]), tests=[0.5, 0.45])
    assert performance.improvement(run) == pytest.approx(0.2)
    assert performance.best_test_score(run) == 0.45


def test_a_loss_is_negative_and_the_reference_scorer_calls_it_zero():
    run = trace(0.8, retests=([0.4, 0.4], [0.5, 0.5]))
    assert performance.improvement(run) == pytest.approx(-0.2)
    assert performance.normalised_improvement(run) == 0.0


def test_a_failed_retest_counts_as_the_baseline_unless_only_complete_cases_are_wanted():
    # Winner 0.7 and crashed; baseline 0.5 and 0.3. Intended: (0.7 + 0.3) / 2 = 0.5 against 0.4, of 0.6.
    run = trace(0.8, retests=([0.7, CRASH], [0.5, 0.3]))
    assert performance.improvement(run) == pytest.approx(0.1 / 0.6)
    assert performance.improvement_complete_case(run) == pytest.approx(0.2 / 0.5)


def test_a_winner_that_never_runs_again_has_no_complete_case():
    run = trace(0.8, retests=([CRASH, Outcome.TIMEOUT], [0.5, 0.3]))
    assert performance.improvement(run) == 0.0
    assert performance.improvement_complete_case(run) == Missing("no retest of the winner has a score")


def test_each_fresh_seed_has_its_own_improvement():
    run = trace(0.8, retests=([0.7, CRASH], [0.5, 0.3]))
    assert performance.improvement_by_retest(run) == pytest.approx({0: 0.4, 1: 0.0})
    assert performance.improvement_by_retest(trace(0.8)) == {}


def test_where_nothing_beat_the_baseline_the_improvement_is_zero():
    assert performance.improvement(trace(0.4, CRASH, retests=([0.5, 0.4], [0.5, 0.4]))) == 0.0


def test_sigmas_are_of_the_baselines_test_score():
    run = trace(0.8, retests=([0.7, 0.7], [0.5, 0.5]), sd=0.04)
    assert performance.gain_in_sigmas(run) == pytest.approx(5.0)
    without = trace(0.8, retests=([0.7, 0.7], [0.5, 0.5]))
    assert performance.gain_in_sigmas(without) == Missing("the task's noise is not calibrated")


def test_the_papers_performance_is_the_best_test_of_any_step():
    run = trace(0.8, 0.7, 0.9, tests=[0.5, 0.6, 0.75, 0.65])
    assert performance.best_test_score(run) == 0.75


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (trace(0.8, retests=([0.7], [0.5]), over=False), "the run is not finished"),
        (trace(0.8), "retests are disabled (--retest 0)"),
        (trace(0.8, retests=([0.7], [CRASH])), "the baseline has no retest"),
        (trace(0.8, retests=([1.0], [1.0])), "the baseline is already perfect"),
    ],
)
def test_what_is_missing_says_why(run: Trace, why: str):
    assert performance.improvement(run) == Missing(why)
