"""The grader of generalization, against figures worked out by hand."""

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
    return find_task("generalization").grader / "grade.py"


@pytest.fixture(scope="module")
def grader(program: Path) -> ModuleType:
    return load_program(program)


DOMAINS = np.array([0, 1, 2, 3] * 4)
LABELS = np.array([7] * 16)
ANSWERS = np.array([7, 7, 0, 7, 7, 7, 7, 7, 7, 1, 2, 7, 7, 7, 99, -1])
"""Right in domains 0 to 3: four, three, one and three of four. Nobody asked for labels 99 and -1."""


def test_the_score_is_the_accuracy_in_the_worst_domain(grader: ModuleType):
    grade = grader.grade(ANSWERS, LABELS, DOMAINS)
    assert grade["score"] == grade["metrics"]["worst_domain_accuracy"] == pytest.approx(1 / 4)


def test_a_seen_domain_can_be_the_worst(grader: ModuleType):
    answers = np.where(DOMAINS == 1, 0, LABELS)
    assert grader.grade(answers, LABELS, DOMAINS)["score"] == 0.0


def test_seen_and_unseen_domains_are_averaged_apart(grader: ModuleType):
    metrics = grader.grade(ANSWERS, LABELS, DOMAINS)["metrics"]
    assert metrics["seen_domain_accuracy"] == pytest.approx((4 / 4 + 3 / 4) / 2)
    assert metrics["unseen_domain_accuracy"] == pytest.approx((1 / 4 + 3 / 4) / 2)


def test_standard_errors_are_binomial(grader: ModuleType):
    errors = grader.grade(ANSWERS, LABELS, DOMAINS)["standard_errors"]
    # A quarter of four: sqrt(1/4 * 3/4 / 4) = sqrt(3) / 8, and the same for three quarters.
    assert errors["worst_domain_accuracy"] == pytest.approx(3**0.5 / 8)
    assert errors["unseen_domain_accuracy"] == pytest.approx((2 * 3 / 64) ** 0.5 / 2)
    # All right has no error, three quarters have sqrt(3) / 8; half of that for a mean of two.
    assert errors["seen_domain_accuracy"] == pytest.approx(3**0.5 / 16)


def test_answers_of_another_shape_are_refused(grader: ModuleType):
    assert "shape" in grader.grade(ANSWERS[:, None], LABELS, DOMAINS)["refused"]


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "labels" / "labels.npy", LABELS)
    np.save(tmp_path / "labels" / "domains.npy", DOMAINS)
    np.save(tmp_path / "answers.npy", ANSWERS)
    subprocess.run([sys.executable, "-I", "-B", program, tmp_path], check=True, timeout=60)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(0.25)
