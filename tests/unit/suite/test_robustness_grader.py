"""The grader of robustness, against figures worked out by hand."""

from types import ModuleType

import numpy as np
import pytest

from tests.programs import load_grader


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("robustness")


TRIGGERS = np.array([-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1])
TARGETS = np.array([np.full(8, 7), np.full(8, 2)])
"""Each backdoor leads every class to one label."""
LABELS = np.array([1, 2, 3, 4, 1, 1, 3, 7, 5, 5, 6, 6])
ANSWERS = np.array([1, 2, 3, 0, 7, 1, 3, 0, 5, 2, 0, 7])
"""Clean: 3 of 4 right. Trigger 0: 2 of 4 right, 1 taken for a 7. Trigger 1: 1 of 4 right, 1 taken for a 2."""
YARDSTICK = np.array([1, 2, 0, 0, 1, 1, 0, 0, 5, 5, 0, 0])
"""Half of each kind is right: its defence and its error are 1/2."""


def test_the_score_is_the_error_in_units_of_the_yardsticks(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS, TRIGGERS, TARGETS, YARDSTICK)
    # Clean accuracy 3/4, triggered 1/2 and 1/4: 2 * 3/8 / (5/4) = 3/5 and 2 * 3/16 / 1 = 3/8.
    defence = (3 / 5 + 3 / 8) / 2
    assert grade["metrics"]["defence"] == pytest.approx(defence)
    assert grade["score"] == grade["metrics"]["relative_error"] == pytest.approx((1 - defence) / (1 / 2))


def test_the_yardstick_itself_scores_one_and_right_answers_zero(grader: ModuleType):
    assert grader.grade(YARDSTICK, LABELS, TRIGGERS, TARGETS, YARDSTICK)["score"] == pytest.approx(1)
    assert grader.grade(LABELS, LABELS, TRIGGERS, TARGETS, YARDSTICK)["score"] == pytest.approx(0)


def test_metrics_beside_the_score(grader: ModuleType):
    metrics = grader.grade(ANSWERS, LABELS, TRIGGERS, TARGETS, YARDSTICK)["metrics"]
    assert metrics["clean_accuracy"] == pytest.approx(3 / 4)
    assert metrics["triggered_accuracy"] == pytest.approx(3 / 8)
    assert metrics["worst_triggered_accuracy"] == pytest.approx(1 / 4)
    assert metrics["attack_success"] == pytest.approx(1 / 4)


def test_missing_the_target_is_not_enough(grader: ModuleType):
    answers = np.where(TRIGGERS >= 0, 0, LABELS)
    grade = grader.grade(answers, LABELS, TRIGGERS, TARGETS, YARDSTICK)
    assert (grade["score"], grade["metrics"]["attack_success"]) == (2.0, 0.0)


def test_standard_errors(grader: ModuleType):
    errors = grader.grade(ANSWERS, LABELS, TRIGGERS, TARGETS, YARDSTICK)["standard_errors"]
    clean, first, second = (3 / 64) ** 0.5, 1 / 4, (3 / 64) ** 0.5
    assert errors["clean_accuracy"] == pytest.approx(clean)
    assert errors["worst_triggered_accuracy"] == pytest.approx(second)
    assert errors["triggered_accuracy"] == pytest.approx((first**2 + second**2) ** 0.5 / 2)
    # Slopes of 2ct/(c+t) at c = 3/4. By c they are 2 t^2 / (c + t)^2: 8/25 and 1/8; by t 2 c^2 / (c + t)^2: 18/25, 9/8.
    by_clean = (8 / 25 + 1 / 8) / 2
    by_triggers = ((18 / 25 * first) ** 2 + (9 / 8 * second) ** 2) ** 0.5 / 2
    assert errors["defence"] == pytest.approx(((by_clean * clean) ** 2 + by_triggers**2) ** 0.5)
    assert errors["relative_error"] == pytest.approx(2 * errors["defence"])


@pytest.mark.parametrize("answer", [-1, 8, 99])
def test_answers_that_are_no_label_are_refused(grader: ModuleType, answer: int):
    answers = ANSWERS.copy()
    answers[5] = answer
    grade = grader.grade(answers, LABELS, TRIGGERS, TARGETS, YARDSTICK)
    assert grade["score"] == 4.0
    assert "from 0 to 7" in grade["refused"]


def test_answers_of_another_shape_are_refused(grader: ModuleType):
    assert "shape" in grader.grade(ANSWERS[:, None], LABELS, TRIGGERS, TARGETS, YARDSTICK)["refused"]


def test_a_classifier_that_is_never_right_has_an_error_of_one(grader: ModuleType):
    assert grader.grade((LABELS + 1) % 8, LABELS, TRIGGERS, TARGETS, YARDSTICK)["score"] == pytest.approx(2)
