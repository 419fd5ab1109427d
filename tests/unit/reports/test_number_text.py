"""Figures are written the same way in every report."""

import pytest

from fmlbench.core.run import Isolation
from fmlbench.core.text import score_text
from fmlbench.metrics.intervals import Estimate
from fmlbench.reports.number_text import (
    brief_estimate_text,
    dollars_text,
    duration_text,
    estimate_text,
    seal_text,
)


@pytest.mark.parametrize(
    ("score", "written"),
    [
        (0.5, "0.5000"),
        (0, "0.0000"),
        (-0.25, "-0.2500"),
        (123.456789, "123.4568"),
        (0.00001234, "1.234e-05"),
        (123456.0, "1.235e+05"),
        (None, "-"),
    ],
)
def test_scores_have_four_decimals_where_that_makes_sense(score: float | None, written: str):
    assert score_text(score) == written


def test_a_gain_always_has_a_sign():
    assert estimate_text(Estimate(0.5, 3, -0.1, 1.1), signed=True).startswith("+0.5000 [-0.1000, +1.1000]")


def test_a_tiny_mean_is_written_like_its_interval():
    assert estimate_text(Estimate(0.00012, 3, -0.1, 0.1)).startswith("0.0001 [-0.1000, 0.1000]")
    assert estimate_text(Estimate(0.00012, 3, 0.0001, 0.00014)).startswith("0.00012 [0.0001, 0.00014]")


def test_an_estimate_states_its_interval_and_its_n():
    assert estimate_text(Estimate(0.5, 3, 0.4, 0.6)) == "0.5000 [0.4000, 0.6000] (95% interval, n = 3 seeds)"


def test_a_column_keeps_the_interval_and_the_n():
    assert brief_estimate_text(Estimate(0.5, 3, 0.4, 0.6), signed=True) == "+0.5000 [+0.4000, +0.6000], n = 3"


def test_one_seed_is_said_to_have_no_interval():
    assert estimate_text(Estimate(0.5, 1, None, None)) == "0.5000 (n = 1 seed, so no interval)"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (10, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (3599, "59 min 59 s")],
)
def test_durations_are_written_for_people(seconds: float, written: str):
    assert duration_text(seconds) == written


def test_hours_leave_the_seconds_out():
    assert duration_text(3 * 3600 + 62) == "3 h 01 min"


def test_an_unknown_price_is_not_called_free():
    assert dollars_text(0.0) == "$0.00"
    assert "unknown" in dollars_text(None)


def test_a_run_without_a_sandbox_is_called_unsealed():
    assert seal_text(Isolation.NONE) == "UNSEALED"
    assert seal_text(Isolation.BUBBLEWRAP) == "sealed by bubblewrap"
