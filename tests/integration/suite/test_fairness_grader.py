"""The grader of fairness, against figures worked out by hand."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program

# One population with two groups of two people each. Group 0 is three times as frequent as group 1.
GROUPS = np.array([0, 0, 1, 1])
CHANCES = np.array([0.75, 0.25, 0.5, 0.5])
SHARES = np.array([0.75, 0.75, 0.25, 0.25])
ALONE = np.zeros(4, dtype=np.int64)


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("fairness").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("fairness")


def test_the_program_reads_and_writes_files(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    labels = {"chances": CHANCES, "groups": GROUPS, "shares": SHARES, "populations": ALONE}
    for name, array in labels.items():
        np.save(tmp_path / "labels" / f"{name}.npy", array)
    np.save(tmp_path / "answers.npy", np.array([1, 0, 1, 1]))
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["metrics"]["rate_gap"] == pytest.approx(0.25)
