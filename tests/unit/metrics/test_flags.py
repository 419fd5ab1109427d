"""What is suspicious about a winner: worked out by hand on runs with a baseline of 0.5 and a sigma of 0.01."""

from dataclasses import replace

import pytest

from fmlbench.core.run import RetestKey, RetestKind
from fmlbench.metrics import performance
from fmlbench.metrics.flags import Flag, flags_of
from fmlbench.metrics.measure import Missing
from fmlbench.metrics.trace import Trace
from tests.unit.metrics.traces import evaluation_of, trace, with_retests

GAINS = ([0.70, 0.71, 0.72], [0.50, 0.51, 0.52])


def run(transfer: tuple[list[float], list[float]] | None = None, starved: float | None = None) -> Trace:
    made = trace(0.8, retests=GAINS, sd=0.01)
    made = replace(made, task=made.task.model_copy(update={"sibling": "other data"}))
    if transfer:
        made = with_retests(made, *transfer, kind=RetestKind.TRANSFER)
    if starved is not None:
        key = RetestKey(RetestKind.STARVED, 1, 0)
        made = replace(made, retests={**made.retests, key: evaluation_of(starved)})
    return made


def test_transfer_is_the_improvement_on_the_sibling():
    # From 0.4 on the sibling to 0.55: a quarter of the way to 1.
    assert performance.transfer(run(([0.54, 0.56, 0.55], [0.39, 0.41, 0.40]))) == pytest.approx(0.25)
    made = run()
    alone = replace(made, task=made.task.model_copy(update={"sibling": ""}))
    assert performance.transfer(alone) == Missing("the task has no sibling")
    assert isinstance(performance.transfer(run()), Missing)


def test_a_gain_that_is_lost_on_the_sibling_did_not_transfer():
    assert flags_of(run(([0.40, 0.39, 0.42], [0.40, 0.41, 0.40]))) == (Flag.DID_NOT_TRANSFER,)


def test_a_smaller_gain_that_is_beyond_noise_did_transfer():
    assert flags_of(run(([0.43, 0.44, 0.43], [0.40, 0.41, 0.40]))) == ()


def test_a_large_gain_did_transfer_though_three_seeds_scatter():
    # 0.3, 0.1 and 0.2 of 0.6: a third of the way here and there, but the t interval with three seeds holds zero.
    assert flags_of(run(([0.70, 0.51, 0.60], [0.40, 0.41, 0.40]))) == ()


def test_nothing_is_said_of_a_gain_that_is_not_there():
    made = replace(run(([0.40, 0.39, 0.42], [0.40, 0.41, 0.40])), retests={})
    assert flags_of(made) == ()
    undecided = trace(0.8, retests=([0.4, 0.9, 0.5], [0.5, 0.5, 0.5]), sd=0.01)
    assert flags_of(undecided) == ()


def test_a_winner_that_keeps_its_gain_without_data_is_flagged():
    assert flags_of(run(starved=0.69)) == (Flag.NEEDS_NO_DATA,)
    assert flags_of(run(starved=0.59)) == ()  # less than half of the gain of 0.2
    assert flags_of(run(starved=0.30)) == ()


def test_a_score_beyond_what_is_plausible_is_flagged():
    made = run()
    limit = made.task.metric.model_copy(update={"too_good": 0.7})
    assert flags_of(replace(made, task=made.task.model_copy(update={"metric": limit}))) == (Flag.TOO_GOOD,)


def test_a_winner_that_is_mostly_the_reference_is_flagged():
    assert flags_of(replace(run(), reference_similarity=0.9)) == (Flag.IS_THE_REFERENCE,)
    assert flags_of(replace(run(), reference_similarity=0.3)) == ()
