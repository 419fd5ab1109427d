import pytest

from fmlbench.metrics import efficiency
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.trace import Trace
from tests.unit.metrics.traces import CRASH, DOWN, NAN, trace

GROWING = trace(0.5, 0.6, CRASH, 0.8, 0.7)
"""Best gains so far: 0, 0.1, 0.1, 0.3, 0.3."""


def test_auc_is_the_mean_of_the_best_gain_so_far():
    assert efficiency.auc_unpadded(GROWING) == pytest.approx(0.8 / 5)
    assert efficiency.auc(GROWING) == pytest.approx(0.8 / 5)


def test_auc_counts_the_budget_that_was_not_used_at_the_last_gain():
    # Five more steps at 0.3: (0.8 + 1.5) / 10.
    stopped_early = trace(0.5, 0.6, CRASH, 0.8, 0.7, budget=10)
    assert efficiency.auc(stopped_early) == pytest.approx(0.23)
    assert efficiency.auc_unpadded(stopped_early) == pytest.approx(0.16)


def test_stopping_early_is_no_advantage_over_going_on_without_success():
    went_on = trace(0.5, 0.6, 0.8, *[0.1] * 7)
    assert efficiency.auc(trace(0.5, 0.6, 0.8, budget=10)) == pytest.approx(efficiency.auc(went_on))


def test_first_improvement_best_step_and_late_gain():
    assert efficiency.first_improvement_step(GROWING) == 2
    assert efficiency.best_step(GROWING) == 4
    # Half of five steps is two: (0.3 - 0.1) / 0.3.
    assert efficiency.late_gain_fraction(GROWING) == pytest.approx(2 / 3)


def test_half_of_three_steps_is_one():
    # Gains 0, 0.1, 0.3: after the first step nothing was gained, so all of it came late.
    assert efficiency.late_gain_fraction(trace(0.5, 0.6, 0.8)) == pytest.approx(1.0)


def test_the_best_step_is_the_first_of_equals():
    assert efficiency.best_step(trace(0.6, 0.8, 0.8)) == 2


def test_lower_can_be_better():
    assert efficiency.auc(trace(0.4, 0.2, metric=DOWN)) == pytest.approx((0.1 + 0.3) / 2)


def test_of_one_step_all_gain_is_late():
    assert efficiency.late_gain_fraction(trace(0.6)) == 1.0


@pytest.mark.parametrize("run", [trace(CRASH, CRASH), trace(0.4, 0.5), trace(NAN, CRASH)])
def test_without_a_gain_the_curve_is_flat_and_steps_are_missing(run: Trace):
    assert efficiency.auc(run) == 0.0
    missing = Missing("no step beat the baseline")
    assert efficiency.first_improvement_step(run) == missing
    assert efficiency.late_gain_fraction(run) == missing
    assert efficiency.best_step(run) == missing


def test_no_steps_are_missing_not_zero():
    assert efficiency.auc(trace(budget=5)) == Missing("no step was taken")
    assert efficiency.auc(trace(0.6, baseline=NAN)) == Missing("the baseline has no score")
