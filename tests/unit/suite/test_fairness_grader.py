"""The grader of fairness, against figures worked out by hand."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("fairness").grader / "grade.py"


@pytest.fixture(scope="module")
def grader(program: Path) -> ModuleType:
    return load_program(program)


# Eight rows of each source: two of every group and label.
GROUPS = np.array([0, 0, 0, 0, 1, 1, 1, 1] * 2)
LABELS = np.array([0, 0, 1, 1, 0, 0, 1, 1] * 2)
SOURCES = np.repeat([0, 1], 8)
ANSWERS = np.array(
    [
        # COMPAS. First model: false positive rates 0 and 0.5, true positive rates 0.5 and 1.
        # Second model: false positive rates 0.5 and 0, true positive rates 0.5 and 1: the differences cancel.
        *([0, 1], [0, 0], [0, 0], [1, 1], [1, 0], [0, 0], [1, 1], [1, 1]),
        # Adult. First model: all right. Second model: all in group 1 get a 1, nobody in group 0.
        *([0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]),
    ]
)


def test_the_score_averages_absolute_gaps_over_rates_models_and_sources(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS, GROUPS, SOURCES)
    # COMPAS: 0.5 and 0.5; Adult: 0 and 1.
    assert grade["metrics"]["compas_gap"] == pytest.approx(0.5)
    assert grade["metrics"]["adult_gap"] == pytest.approx(0.5)
    assert grade["score"] == grade["metrics"]["odds_gap"] == pytest.approx(0.5)


def test_differences_of_opposite_sign_cancel_in_the_average_odds_difference_only(grader: ModuleType):
    # COMPAS: 0.5 and 0; Adult: 0 and 1.
    metrics = grader.grade(ANSWERS, LABELS, GROUPS, SOURCES)["metrics"]
    assert metrics["average_odds_difference"] == pytest.approx((0.5 + 0 + 0 + 1) / 4)


def test_accuracy_is_the_share_of_right_answers_on_each_source(grader: ModuleType):
    metrics = grader.grade(ANSWERS, LABELS, GROUPS, SOURCES)["metrics"]
    assert metrics["compas_accuracy"] == pytest.approx((6 / 8 + 6 / 8) / 2)
    assert metrics["adult_accuracy"] == pytest.approx((8 / 8 + 4 / 8) / 2)


def test_the_worst_pair_of_models_is_shown_beside_the_score(grader: ModuleType):
    # The first models have 0.5 and 0, the second ones 0.5 and 1.
    assert grader.grade(ANSWERS, LABELS, GROUPS, SOURCES)["metrics"]["worst_model"] == pytest.approx(0.75)


def test_standard_errors_are_taken_over_models(grader: ModuleType):
    # 0.25 and 0.75 have a standard deviation of 0.5 / sqrt(2), and their mean a standard error of 0.25.
    errors = grader.grade(ANSWERS, LABELS, GROUPS, SOURCES)["standard_errors"]
    assert errors["odds_gap"] == pytest.approx(0.25)
    assert errors["compas_accuracy"] == 0.0


def test_models_that_differ_wildly_earn_no_more_grace(grader: ModuleType):
    errors = grader.grade(ANSWERS, LABELS, GROUPS, SOURCES)["standard_errors"]
    assert errors["adult_accuracy"] == pytest.approx(grader.MOST_ERROR)


def test_the_same_answer_for_everybody_has_no_gap(grader: ModuleType):
    for answer in (0, 1):
        assert grader.grade(np.full_like(ANSWERS, answer), LABELS, GROUPS, SOURCES)["score"] == 0.0


def test_an_answer_that_is_no_label_is_an_error_whatever_the_label(grader: ModuleType):
    answers = ANSWERS.copy()
    answers[8:, 0] = LABELS[8:]
    answers[12:, 0] = 7
    # Group 1 gets a false positive rate of 1 and a true positive rate of 0, group 0 is right throughout.
    assert grader.rate_gaps(answers[8:, 0], LABELS[8:], GROUPS[8:]) == (1.0, -1.0)
    assert np.isfinite(grader.grade(np.full_like(ANSWERS, -(2**63)), LABELS, GROUPS, SOURCES)["score"])


def test_a_group_that_is_not_asked_about_has_rates_of_zero(grader: ModuleType):
    assert grader.rate_gaps(np.array([1, 1]), np.array([0, 1]), np.array([1, 1])) == (1.0, 1.0)


def test_a_single_model_has_no_standard_error(grader: ModuleType):
    errors = grader.grade(ANSWERS[:, :1], LABELS, GROUPS, SOURCES)["standard_errors"]
    assert set(errors.values()) == {0.0}


def test_answers_of_another_shape_are_not_stretched_over_the_labels(grader: ModuleType):
    with pytest.raises(ValueError, match="shape"):
        grader.grade(ANSWERS[:1], LABELS, GROUPS, SOURCES)


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    for name, array in (("labels", LABELS), ("groups", GROUPS), ("sources", SOURCES)):
        np.save(tmp_path / "labels" / f"{name}.npy", array)
    np.save(tmp_path / "answers.npy", ANSWERS)
    subprocess.run([sys.executable, "-I", "-B", program, tmp_path], check=True, timeout=60)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(0.5)
