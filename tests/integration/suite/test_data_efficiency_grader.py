"""The grader of data-efficiency, against figures worked out by hand."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("data-efficiency").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("data-efficiency")


LABELS = np.array([[0, 1, 2, 3], [4, 4, 0, 1], [2, 3, 0, 1]])
ANSWERS = np.array([[0, 1, 2, 0], [4, 0, 1, 1], [2, 3, 0, 1]])
"""Three, two and four of four are right: 0.75, 0.5 and 1."""


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "labels" / "query_labels.npy", LABELS)
    np.save(tmp_path / "answers.npy", ANSWERS)
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(0.75)
