"""The grader of fairness, against figures worked out by hand."""

from types import ModuleType

import numpy as np
import pytest

from tests.programs import load_grader

# One population with two groups of two people each. Group 0 is three times as frequent as group 1.
GROUPS = np.array([0, 0, 1, 1])
CHANCES = np.array([0.75, 0.25, 0.5, 0.5])
SHARES = np.array([0.75, 0.75, 0.25, 0.25])
ALONE = np.zeros(4, dtype=np.int64)


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("fairness")


def test_rates_are_expected_over_the_label_probabilities(grader: ModuleType):
    # Group 0 says yes to the first: false positive rate 0.25 / 1, true positive rate 0.75 / 1. Group 1 always says yes.
    metrics = grader.grade(np.array([1, 0, 1, 1]), CHANCES, GROUPS, SHARES, ALONE)["metrics"]
    # False positive rates 0.25 and 1: each is 0.375 from their mean. True positive rates 0.75 and 1: 0.125.
    assert metrics["false_positive_gap"] == pytest.approx(0.375)
    assert metrics["true_positive_gap"] == pytest.approx(0.125)
    assert metrics["rate_gap"] == pytest.approx(0.25)
    assert metrics["widest_gap"] == pytest.approx(0.75)


def test_accuracy_counts_groups_by_their_share(grader: ModuleType):
    # Group 0 is right with probability 0.75, group 1 with 0.5.
    metrics = grader.grade(np.array([1, 0, 1, 1]), CHANCES, GROUPS, SHARES, ALONE)["metrics"]
    assert metrics["accuracy"] == pytest.approx(0.75 * 0.75 + 0.25 * 0.5)


def test_informedness_is_the_true_minus_the_false_positive_rate_with_groups_counted_alike(grader: ModuleType):
    # True positive rates 0.75 and 1, false positive rates 0.25 and 1.
    metrics = grader.grade(np.array([1, 0, 1, 1]), CHANCES, GROUPS, SHARES, ALONE)["metrics"]
    assert metrics["informedness"] == pytest.approx(0.875 - 0.625)


def test_the_score_is_the_gap_divided_by_informedness(grader: ModuleType):
    # Group 0 says yes to the first: rates 0.25 and 0.75. Group 1 says no: rates 0. The means are 0.125 and 0.375;
    # each group is that far from them, on average 0.25.
    chances = np.array([0.75, 0.25, 0.5, 0.5])
    assert grader.grade(np.array([1, 0, 0, 0]), chances, GROUPS, SHARES, ALONE)["score"] == pytest.approx(1.0)
    # Group 1 is decided without an error: rates 0 and 1. All distances are 0.125, informedness is 0.875 - 0.125.
    chances = np.array([0.75, 0.25, 1.0, 0.0])
    assert grader.grade(np.array([1, 0, 1, 0]), chances, GROUPS, SHARES, ALONE)["score"] == pytest.approx(0.125 / 0.75)


def test_random_refusals_gain_nothing(grader: ModuleType):
    # Everybody is asked twice. Refusing every second time halves all rates.
    chances, groups, shares = (np.tile(column, 2) for column in (np.array([0.75, 0.25, 1.0, 0.0]), GROUPS, SHARES))
    plain = grader.grade(np.tile([1, 0, 1, 0], 2), chances, groups, shares, np.zeros(8, dtype=np.int64))
    refusing = grader.grade(np.array([1, 0, 1, 0, 0, 0, 0, 0]), chances, groups, shares, np.zeros(8, dtype=np.int64))
    assert refusing["metrics"]["rate_gap"] == pytest.approx(plain["metrics"]["rate_gap"] / 2)
    assert refusing["score"] == pytest.approx(plain["score"])


def test_the_same_decision_for_everybody_has_the_worst_score(grader: ModuleType):
    grade = grader.grade(np.ones(4, dtype=np.int64), CHANCES, GROUPS, SHARES, ALONE)
    assert grade["metrics"]["rate_gap"] == pytest.approx(0.0)
    assert grade["score"] == grader.WORST
    assert grade["metrics"]["accuracy"] == pytest.approx(0.5)
    assert grade["metrics"]["informedness"] == pytest.approx(0.0)


def test_populations_are_judged_one_by_one_and_averaged(grader: ModuleType):
    # The second population errs in the opposite direction. That does not cancel.
    answers = np.array([1, 0, 1, 1, 1, 1, 1, 0])
    chances = np.concatenate([CHANCES, [0.5, 0.5, 0.75, 0.25]])
    shares = np.full(8, 0.5)
    grade = grader.grade(answers, chances, np.tile(GROUPS, 2), shares, np.repeat([0, 1], 4))
    assert grade["metrics"]["rate_gap"] == pytest.approx(0.25)
    assert grade["standard_errors"]["rate_gap"] == pytest.approx(0.0)


def test_tolerance_from_differing_populations_is_bounded(grader: ModuleType):
    answers = np.array([1, 0, 1, 1, 0, 1, 0, 0])
    grade = grader.grade(answers, np.tile(CHANCES, 2), np.tile(GROUPS, 2), np.tile(SHARES, 2), np.repeat([0, 1], 4))
    assert grade["standard_errors"]["accuracy"] == grader.MOST_ERROR


@pytest.mark.parametrize("odd", [-1, 2])
def test_answers_that_are_no_decision_are_refused(grader: ModuleType, odd: int):
    assert grader.grade(np.array([1, 0, odd, 1]), CHANCES, GROUPS, SHARES, ALONE)["refused"]


def test_answers_of_another_shape_are_refused(grader: ModuleType):
    with pytest.raises(ValueError, match=r"shape \(3,\), not \(4,\)"):
        grader.grade(np.ones(3, dtype=np.int64), CHANCES, GROUPS, SHARES, ALONE)
