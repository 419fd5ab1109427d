"""The grader of generalization, against figures worked out by hand."""

from types import ModuleType

import numpy as np
import pytest

from tests.programs import load_grader


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("generalization")


DOMAINS = np.repeat(np.arange(12), 4)
LABELS = np.full(48, 7)
ANSWERS = LABELS.copy()
ANSWERS[[0, 40, 44, 45, 46]] = [1, 2, 3, 99, -1]
"""Right: three of four in domain 0 (seen), all in 1 to 9, three of four in 10 and one of four in 11 (unseen)."""


def test_the_score_is_the_mean_accuracy_over_unseen_domains(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS, DOMAINS)
    assert grade["score"] == grade["metrics"]["accuracy"] == pytest.approx((3 / 4 + 1 / 4) / 2)


def test_seen_domains_count_where_they_are_worse(grader: ModuleType):
    answers = np.where(DOMAINS < 10, 0, LABELS)
    answers[:4] = 7
    grade = grader.grade(answers, LABELS, DOMAINS)
    assert grade["metrics"]["unseen_domain_accuracy"] == 1
    assert grade["score"] == pytest.approx(1 / 10)


def test_side_metrics_are_the_means_over_seen_and_unseen_domains(grader: ModuleType):
    metrics = grader.grade(ANSWERS, LABELS, DOMAINS)["metrics"]
    assert metrics["seen_domain_accuracy"] == pytest.approx((3 / 4 + 9) / 10)
    assert metrics["unseen_domain_accuracy"] == pytest.approx(1 / 2)


def test_standard_errors_are_binomial(grader: ModuleType):
    errors = grader.grade(ANSWERS, LABELS, DOMAINS)["standard_errors"]
    # A quarter of four: sqrt(1/4 * 3/4 / 4) = sqrt(3) / 8, and the same for three quarters.
    assert errors["accuracy"] == errors["unseen_domain_accuracy"] == pytest.approx((2 * 3 / 64) ** 0.5 / 2)
    assert errors["seen_domain_accuracy"] == pytest.approx(3**0.5 / 8 / 10)


def test_an_answer_that_is_no_label_is_wrong(grader: ModuleType):
    assert grader.grade(np.full(48, -1), LABELS, DOMAINS)["score"] == 0.0


def test_answers_of_another_shape_are_refused(grader: ModuleType):
    assert "shape" in grader.grade(ANSWERS[:, None], LABELS, DOMAINS)["refused"]
