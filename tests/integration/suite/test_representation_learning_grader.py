"""The grader of representation-learning, against figures worked out by hand and against plain linear algebra."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("representation-learning").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("representation-learning")


LABELS = np.array([3, 5, 3, 5, 3, 5, 3, 5, 3, 3])
FEATURES = np.array([[-1, 1, -1, 1, -1, 1, -2, 2, 1, -1]], dtype=np.float32).T
"""Class 3 lies left of 0 and class 5 right of it, but for the last image but one."""
IS_PROBE = np.array([True] * 6 + [False] * 4)


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "labels" / "labels.npy", LABELS)
    np.save(tmp_path / "labels" / "is_probe.npy", IS_PROBE)
    np.save(tmp_path / "answers.npy", FEATURES)
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(0.75)
