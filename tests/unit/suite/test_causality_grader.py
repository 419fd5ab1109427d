"""The grader of causality, against figures worked out by hand."""

from types import ModuleType

import numpy as np
import pytest

from tests.programs import load_grader


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("causality")


REALISATION = np.array([7, 2, 7, 2])
EFFECTS = np.array([1.0, 0.5, 2.0, -0.5])
ANSWERS = np.array([4.0, 0.5, -2.0, 0.5], dtype=np.float32)
"""Errors are 3 and -4 in realisation 7, and 0 and 1 in realisation 2."""
YARDSTICK = np.array([3.0, 1.0, 3.0, 1.0])
"""The yardstick errs by 3 in realisation 7 and by 1 in realisation 2: by 2 on average."""
PEHE = (12.5**0.5 + 0.5**0.5) / 2
"""The mean of sqrt((9 + 16) / 2) and sqrt((0 + 1) / 2)."""


def test_the_score_is_the_mean_root_squared_error_over_that_of_the_yardstick(grader: ModuleType):
    grade = grader.grade(ANSWERS, EFFECTS, REALISATION, YARDSTICK)
    assert grade["metrics"]["sqrt_pehe"] == pytest.approx(PEHE)
    assert grade["score"] == grade["metrics"]["relative_pehe"] == pytest.approx(PEHE / 2)
    assert grade["metrics"]["worst_pehe"] == pytest.approx(12.5**0.5)


def test_errors_of_the_average_effect_are_shown_beside_it(grader: ModuleType):
    # |3 - 4| / 2 and |0 + 1| / 2
    assert grader.grade(ANSWERS, EFFECTS, REALISATION, YARDSTICK)["metrics"]["ate_error"] == pytest.approx(0.5)


def test_standard_errors_are_taken_over_realisations(grader: ModuleType):
    errors = grader.grade(ANSWERS, EFFECTS, REALISATION, YARDSTICK)["standard_errors"]
    # Of two values, the standard error of the mean is half their distance.
    assert errors["sqrt_pehe"] == pytest.approx((12.5**0.5 - 0.5**0.5) / 2)
    assert errors["ate_error"] == pytest.approx(0.0)


def test_a_single_realisation_has_no_standard_error(grader: ModuleType):
    assert grader.grade(ANSWERS[:1], EFFECTS[:1], REALISATION[:1], YARDSTICK[:1])["standard_errors"]["sqrt_pehe"] == 0.0


def test_a_perfect_answer_scores_zero(grader: ModuleType):
    assert grader.grade(EFFECTS.astype(np.float32), EFFECTS, REALISATION, YARDSTICK)["score"] == 0.0


def test_a_huge_answer_scores_badly_and_is_not_clipped(grader: ModuleType):
    huge = ANSWERS.copy()
    huge[0] = np.finfo(np.float32).max
    grade = grader.grade(huge, EFFECTS, REALISATION, YARDSTICK)
    assert np.isfinite(grade["score"])
    assert grade["score"] > 1e37


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_answers_that_are_not_finite_are_refused(grader: ModuleType, value: float):
    broken = ANSWERS.copy()
    broken[1] = value
    assert "1 of 4 answers are not finite" in grader.grade(broken, EFFECTS, REALISATION, YARDSTICK)["refused"]


def test_answers_of_another_shape_are_refused(grader: ModuleType):
    assert "shape" in grader.grade(ANSWERS[:, None], EFFECTS, REALISATION, YARDSTICK)["refused"]
