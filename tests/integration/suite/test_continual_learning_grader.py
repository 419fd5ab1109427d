"""The grader of continual-learning, against figures worked out by hand."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("continual-learning").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("continual-learning")


LABELS = np.array([0, 9, 0, 9, 10, 19, 20, 29, 29])
ANSWERS = np.array([0, 9, 9, 0, 10, 19, 20, 39, -7])
"""Contexts of four, two and three questions with 2, 2 and 1 right answers: 1/2, 1 and 1/3."""


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "labels" / "labels.npy", LABELS)
    np.save(tmp_path / "answers.npy", ANSWERS)
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(11 / 18)
