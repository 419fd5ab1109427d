from dataclasses import replace

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.notes import UsageRecorded
from fmlbench.core.usage import Usage
from fmlbench.metrics import cost, reliability
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.reliability import OutcomeClass
from tests.unit.metrics.traces import CRASH, NAN, trace

MIXED = trace(
    0.6, CRASH, Outcome.TIMEOUT, Outcome.INVALID, Outcome.REJECTED, NAN, 0.4, Outcome.OUT_OF_MEMORY, budget=10
)


def test_every_step_has_one_fate_and_nan_is_invalid():
    assert reliability.step_outcomes(MIXED) == {
        OutcomeClass.OK: 2,
        OutcomeClass.FAILED: 2,
        OutcomeClass.OVER_LIMIT: 2,
        OutcomeClass.INVALID: 2,
    }


def test_a_step_succeeds_if_it_ran_and_is_valid_if_it_has_a_score():
    assert reliability.step_success_rate(MIXED) == 4 / 8
    assert reliability.valid_step_ratio(MIXED) == 2 / 8
    assert reliability.step_completion_rate(MIXED) == 8 / 10


def test_no_steps_have_no_rates():
    nothing = trace(budget=10)
    assert reliability.step_success_rate(nothing) == Missing("no step was taken")
    assert reliability.valid_step_ratio(nothing) == Missing("no step was taken")
    assert reliability.step_completion_rate(nothing) == 0.0
    assert reliability.step_completion_rate(trace()) == Missing("the budget has no steps")


def test_cost_adds_up_and_what_is_left_of_the_wall_time_is_waiting():
    # Two steps: 500 tokens, 0.50 dollars, 2 s proposing; three experiments of 2 s; one sealed exam of 2 s.
    run = trace(0.6, 0.7, tests=[0.5], wall=3600.0)
    assert cost.tokens(run) == pytest.approx(0.0005)
    assert cost.dollars(run) == pytest.approx(0.5)
    assert (cost.proposing_seconds(run), cost.training_seconds(run), cost.sealed_exam_seconds(run)) == (2, 6, 2)
    assert cost.waiting_seconds(run) == 3600 - 10
    assert cost.wall_hours(run) == 1.0


def test_what_was_spent_on_no_step_counts_too():
    run = trace(0.6, 0.7, wall=3600.0)
    last_words = Usage(calls=1, input_tokens=400, output_tokens=100, dollars=1.5, seconds=8)
    note = UsageRecorded(step=3, usage=last_words)
    chatty = replace(run, notes=[note])
    assert cost.tokens(chatty) - cost.tokens(run) == pytest.approx(0.0005)
    assert cost.dollars(chatty) == pytest.approx(2.0)
    assert cost.proposing_seconds(chatty) - cost.proposing_seconds(run) == 8


def test_an_unknown_price_makes_the_sum_unknown():
    run = trace(0.6)
    priceless = run.steps[1].model_copy(update={"usage": Usage(dollars=None)})
    assert cost.dollars(replace(run, steps=[run.steps[0], priceless])) == Missing("the price of a step is unknown")
