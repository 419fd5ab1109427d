"""The grader of robustness, against figures worked out by hand."""

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
    return find_task("robustness").grader / "grade.py"


@pytest.fixture(scope="module")
def grader(program: Path) -> ModuleType:
    return load_program(program)


TRIGGERS = np.array([-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1])
TARGETS = np.array([7, 2])
LABELS = np.array([1, 2, 3, 4, 1, 1, 3, 3, 5, 5, 6, 6])
ANSWERS = np.array([1, 2, 3, 0, 7, 1, 7, 2, 5, 99, -1, 7])
"""Clean: three of four right. Trigger 0: two of four taken for a 7. Trigger 1: none taken for a 2."""


def test_the_score_is_the_mean_of_harmonic_means(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS, TRIGGERS, TARGETS)
    # Clean accuracy 3/4, resistances 1/2 and 1: 2 * 3/8 / (5/4) = 3/5 and 2 * 3/4 / (7/4) = 6/7.
    assert grade["score"] == grade["metrics"]["defence_score"] == pytest.approx((3 / 5 + 6 / 7) / 2)


def test_metrics_beside_the_score(grader: ModuleType):
    metrics = grader.grade(ANSWERS, LABELS, TRIGGERS, TARGETS)["metrics"]
    assert metrics["clean_accuracy"] == pytest.approx(3 / 4)
    assert metrics["resistance"] == pytest.approx(3 / 4)
    assert metrics["worst_resistance"] == pytest.approx(1 / 2)
    # Of eight triggered pictures two get their own label: the second of trigger 0 and the first of trigger 1.
    assert metrics["triggered_accuracy"] == pytest.approx(2 / 8)


def test_a_target_given_to_another_triggers_pictures_is_no_success(grader: ModuleType):
    answers = np.where(TRIGGERS == 1, 7, LABELS)
    assert grader.grade(answers, LABELS, TRIGGERS, TARGETS)["metrics"]["resistance"] == 1.0


def test_standard_errors(grader: ModuleType):
    errors = grader.grade(ANSWERS, LABELS, TRIGGERS, TARGETS)["standard_errors"]
    clean, first = (3 / 64) ** 0.5, 1 / 4
    assert errors["clean_accuracy"] == pytest.approx(clean)
    assert errors["worst_resistance"] == pytest.approx(first)
    assert errors["resistance"] == pytest.approx(first / 2)
    # Slopes of 2cr/(c+r) at c = 3/4. By c they are 2 r^2 / (c + r)^2: 8/25 and 32/49. By r, at r = 1/2, the slope is
    # 2 c^2 / (c + r)^2 = 18/25.
    by_clean, by_first = (8 / 25 + 32 / 49) / 2, 18 / 25 / 2
    assert errors["defence_score"] == pytest.approx(((by_clean * clean) ** 2 + (by_first * first) ** 2) ** 0.5)


def test_a_classifier_that_is_never_right_scores_nothing(grader: ModuleType):
    grade = grader.grade(np.full(12, -5), LABELS, TRIGGERS, TARGETS)
    assert (grade["score"], grade["metrics"]["resistance"]) == (0.0, 1.0)


def test_a_classifier_that_serves_every_trigger_scores_nothing(grader: ModuleType):
    answers = np.where(TRIGGERS >= 0, TARGETS[TRIGGERS], LABELS)
    assert grader.grade(answers, LABELS, TRIGGERS, TARGETS)["score"] == 0.0


def test_answers_of_another_shape_are_refused(grader: ModuleType):
    assert "shape" in grader.grade(ANSWERS[:, None], LABELS, TRIGGERS, TARGETS)["refused"]


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    for name, array in {"labels": LABELS, "triggers": TRIGGERS, "targets": TARGETS}.items():
        np.save(tmp_path / "labels" / f"{name}.npy", array)
    np.save(tmp_path / "answers.npy", ANSWERS)
    subprocess.run([sys.executable, "-I", "-B", program, tmp_path], check=True, timeout=60)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx((3 / 5 + 6 / 7) / 2)
