"""The grader of causality, against figures worked out by hand."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("causality").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("causality")


REALISATION = np.array([7, 2, 7, 2])
EFFECTS = np.array([1.0, 0.5, 2.0, -0.5])
ANSWERS = np.array([4.0, 0.5, -2.0, 0.5], dtype=np.float32)
"""Errors are 3 and -4 in realisation 7, and 0 and 1 in realisation 2."""
YARDSTICK = np.array([3.0, 1.0, 3.0, 1.0])
"""The yardstick errs by 3 in realisation 7 and by 1 in realisation 2: by 2 on average."""
PEHE = (12.5**0.5 + 0.5**0.5) / 2
"""The mean of sqrt((9 + 16) / 2) and sqrt((0 + 1) / 2)."""


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "labels" / "realisation.npy", REALISATION)
    np.save(tmp_path / "labels" / "effects.npy", EFFECTS)
    np.save(tmp_path / "labels" / "yardstick.npy", YARDSTICK)
    np.save(tmp_path / "answers.npy", ANSWERS)
    run_program(program, tmp_path)
    grade = json.loads((tmp_path / "out" / "grade.json").read_text())
    assert grade["score"] == pytest.approx(PEHE / 2)
