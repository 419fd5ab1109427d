import math
from collections.abc import Callable

import numpy as np
import pytest

from fmlbench.metrics import hidden_test
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.trace import Trace
from tests.unit.metrics.traces import CRASH, number, trace

CURVE = trace(0.6, CRASH, 0.9, 0.8, tests=[0.4, 0.55, None, 0.5, 0.7])
"""Gains on validation 0, 0.1, none, 0.4, 0.3; on the hidden test 0, 0.15, none, 0.1, 0.3."""


def test_the_curve_follows_what_validation_would_have_chosen():
    assert [point.chosen_test for point in hidden_test.hidden_curve(CURVE)] == pytest.approx([0, 0.15, 0.15, 0.1, 0.1])
    assert [point.validation for point in hidden_test.hidden_curve(CURVE)][2] is None


def test_regret_is_what_choosing_on_validation_lost():
    assert hidden_test.selection_regret(CURVE) == pytest.approx(0.3 - 0.1)


def test_optimism_and_the_gap_compare_the_winners_two_gains():
    assert hidden_test.optimism(CURVE) == pytest.approx(0.4 - 0.1)
    assert hidden_test.val_test_gap(CURVE) == pytest.approx(0.3)


def test_the_gap_clamps_losses_as_the_reference_scorer_does():
    # Validation gains 0.1; the hidden test loses 0.2, which counts as 0.
    assert hidden_test.val_test_gap(trace(0.6, tests=[0.5, 0.3])) == pytest.approx(0.1)


def test_a_winner_without_a_hidden_score_counts_as_the_baseline_in_the_gap():
    run = trace(0.6, tests=[0.5, None])
    assert hidden_test.val_test_gap(run) == pytest.approx(0.1)
    assert hidden_test.selection_regret(run) == Missing("the winner has no hidden test score")


def test_noise_alone_makes_the_best_of_equals_look_better():
    # The expected maximum of the baseline and nine equal steps is 1.54 sd above the mean of all ten,
    # and the baseline's own error, which every gain carries, has mean zero.
    run = trace(*[0.5] * 9, tests=[0.5] * 10, sd=0.01)
    noise = math.hypot(0.01, 0.01)
    assert hidden_test.optimism_by_noise(run) == pytest.approx(1.5388 * noise, rel=0.05)


def test_what_noise_explains_is_not_overfitting_and_what_it_cannot_is():
    rng = np.random.default_rng(3)
    noise = math.hypot(0.01, 0.01)
    lucky = trace(*(0.5 + rng.normal(0, noise, 20)).tolist(), tests=[0.5] * 21, sd=0.01)
    assert number(hidden_test.overfitting_p(lucky)) > 0.05
    fitted = trace(*[0.5] * 19, 0.7, tests=[0.5] * 21, sd=0.01)
    assert number(hidden_test.overfitting_p(fitted)) < 0.001
    assert hidden_test.overfitting(fitted) == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize(
    "measure", [hidden_test.val_test_gap, hidden_test.selection_regret, hidden_test.optimism, hidden_test.overfitting]
)
def test_nothing_hidden_is_told_before_the_run_is_over(measure: Callable[[Trace], Value]):
    assert measure(trace(0.6, tests=[0.5, 0.6], sd=0.01, over=False)) == Missing("the run is not finished")
