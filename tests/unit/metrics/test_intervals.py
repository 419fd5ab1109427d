"""Means over seeds come with the interval that so few seeds deserve."""

import pytest

from fmlbench.metrics.numerics import t_quantile
from fmlbench.metrics.statistics.intervals import estimate


@pytest.mark.parametrize(
    ("freedom", "printed"),
    # The column 0.975 of the printed tables of Student's t.
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (30, 2.042), (120, 1.980)],
)
def test_quantiles_agree_with_the_printed_tables(freedom: int, printed: float):
    assert t_quantile(0.975, freedom) == pytest.approx(printed, abs=5e-4)


def test_another_confidence_has_another_quantile():
    assert t_quantile(0.95, 2) == pytest.approx(2.920, abs=5e-4)


def test_many_degrees_of_freedom_come_near_the_normal_distribution():
    assert t_quantile(0.975, 2000) == pytest.approx(1.961, abs=5e-4)


def test_three_seeds_worked_out_by_hand():
    # Mean 2, standard deviation 1, standard error 1/sqrt(3) = 0.57735; times 4.30265 is 2.48414.
    found = estimate([1.0, 2.0, 3.0])
    assert found is not None
    assert (found.mean, found.n) == (2.0, 3)
    assert found.low == pytest.approx(-0.48414, abs=1e-5)
    assert found.high == pytest.approx(4.48414, abs=1e-5)


def test_one_seed_has_a_mean_but_no_interval():
    found = estimate([0.5])
    assert found is not None
    assert (found.mean, found.low, found.high, found.n) == (0.5, None, None, 1)


def test_equal_scores_have_an_interval_of_no_width():
    found = estimate([0.5, 0.5])
    assert found is not None
    assert (found.low, found.high) == (0.5, 0.5)


def test_nothing_has_no_mean():
    assert estimate([]) is None
