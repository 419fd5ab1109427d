"""The grader of continual-learning, against figures worked out by hand."""

from types import ModuleType

import numpy as np
import pytest

from tests.programs import load_grader


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("continual-learning")


LABELS = np.array([0, 9, 0, 9, 10, 19, 20, 29, 29])
ANSWERS = np.array([0, 9, 9, 0, 10, 19, 20, 39, -7])
"""Contexts of four, two and three questions with 2, 2 and 1 right answers: 1/2, 1 and 1/3."""


def test_every_context_counts_the_same_however_many_questions_it_has(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS)
    assert grade["score"] == grade["metrics"]["average_accuracy"] == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)


def test_first_last_and_worst_context_are_shown_beside_the_score(grader: ModuleType):
    labels = np.array([0, 9, 10, 19, 20, 29])
    answers = np.array([0, 9, 39, 39, 20, 39])
    metrics = grader.grade(answers, labels)["metrics"]
    assert [metrics[f"{which}_context"] for which in ("first", "worst", "last")] == [1.0, 0.0, 0.5]


def test_the_standard_error_comes_from_the_questions_within_contexts(grader: ModuleType):
    # Variances 1/3, 0 and 1/3 over 4, 2 and 3 questions: 1/12 + 0 + 1/9, then the root over three contexts.
    error = grader.grade(ANSWERS, LABELS)["standard_errors"]["average_accuracy"]
    assert error == pytest.approx((1 / 12 + 1 / 9) ** 0.5 / 3)


def test_one_question_a_context_has_no_standard_error(grader: ModuleType):
    assert grader.grade(np.array([0, 10]), np.array([0, 10]))["standard_errors"]["average_accuracy"] == 0.0


@pytest.mark.parametrize("answer", [-(2**63), 2**63 - 1, 40])
def test_labels_that_do_not_exist_are_simply_wrong(grader: ModuleType, answer: int):
    assert grader.grade(np.full(9, answer), LABELS)["score"] == 0.0


def test_answers_of_another_shape_are_not_stretched_over_the_labels(grader: ModuleType):
    with pytest.raises(ValueError, match="shape"):
        grader.grade(ANSWERS[:1], LABELS)
