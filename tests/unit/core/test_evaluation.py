import math

import pytest

from fmlbench.core.evaluation import Goal, Metric

UP = Metric(name="accuracy", goal=Goal.MAXIMIZE, best=1.0, worst=0.0)
DOWN = Metric(name="error", goal=Goal.MINIMIZE, best=0.0, worst=2.0)


def test_better_follows_the_goal():
    assert UP.is_better(0.6, 0.5)
    assert DOWN.is_better(0.5, 0.6)
    assert not UP.is_better(0.5, 0.5)


@pytest.mark.parametrize("nothing", [None, math.nan])
def test_none_and_nan_are_worse_than_any_number(nothing: float | None):
    assert not UP.is_better(nothing, 0.1)
    assert not UP.is_better(nothing, nothing)
    assert UP.is_better(0.1, nothing)


def test_improvement_is_the_gain_as_a_share_of_the_gap_to_a_perfect_score():
    assert UP.improvement(0.8, 0.6) == pytest.approx(0.5)
    assert DOWN.improvement(0.5, 1.0) == pytest.approx(0.5)
    assert UP.improvement(0.5, 0.6) == pytest.approx(-0.25)
