"""The grader of data-efficiency, against figures worked out by hand."""

from types import ModuleType

import numpy as np
import pytest

from tests.programs import load_grader


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("data-efficiency")


LABELS = np.array([[0, 1, 2, 3], [4, 4, 0, 1], [2, 3, 0, 1]])
ANSWERS = np.array([[0, 1, 2, 0], [4, 0, 1, 1], [2, 3, 0, 1]])
"""Three, two and four of four are right: 0.75, 0.5 and 1."""


def test_the_score_is_the_share_of_right_queries(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS)
    assert grade["score"] == grade["metrics"]["accuracy"] == pytest.approx(9 / 12)


def test_the_standard_error_is_taken_over_episodes(grader: ModuleType):
    # Deviations from 0.75 are 0, -0.25 and 0.25: variance 0.125 / 2, standard error sqrt(0.0625 / 3).
    grade = grader.grade(ANSWERS, LABELS)
    assert grade["standard_errors"]["accuracy"] == pytest.approx(0.25 / 3**0.5)


def test_the_worst_tenth_of_episodes_is_shown_beside_the_score(grader: ModuleType):
    labels = np.zeros((20, 10), dtype=np.int64)
    answers = labels.copy()
    answers[3, :8] = 1
    answers[11, :4] = 1
    # Two of twenty episodes are a tenth: those with 0.2 and 0.6.
    assert grader.grade(answers, labels)["metrics"]["worst_tenth"] == pytest.approx(0.4)


def test_a_single_episode_has_no_standard_error(grader: ModuleType):
    assert grader.grade(ANSWERS[:1], LABELS[:1])["standard_errors"]["accuracy"] == 0.0


def test_answers_of_another_shape_are_not_stretched_over_the_labels(grader: ModuleType):
    with pytest.raises(ValueError, match="shape"):
        grader.grade(ANSWERS[:, :1], LABELS)
