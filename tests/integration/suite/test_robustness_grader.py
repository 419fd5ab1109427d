"""The grader of robustness, against figures worked out by hand."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("robustness").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("robustness")


TRIGGERS = np.array([-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1])
TARGETS = np.array([np.full(8, 7), np.full(8, 2)])
"""Each backdoor leads every class to one label."""
LABELS = np.array([1, 2, 3, 4, 1, 1, 3, 7, 5, 5, 6, 6])
ANSWERS = np.array([1, 2, 3, 0, 7, 1, 3, 0, 5, 2, 0, 7])
"""Clean: 3 of 4 right. Trigger 0: 2 of 4 right, 1 taken for a 7. Trigger 1: 1 of 4 right, 1 taken for a 2."""
YARDSTICK = np.array([1, 2, 0, 0, 1, 1, 0, 0, 5, 5, 0, 0])
"""Half of each kind is right: its defence and its error are 1/2."""


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    for name, array in {"labels": LABELS, "triggers": TRIGGERS, "targets": TARGETS, "yardstick": YARDSTICK}.items():
        np.save(tmp_path / "labels" / f"{name}.npy", array)
    np.save(tmp_path / "answers.npy", ANSWERS)
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(2 - (3 / 5 + 3 / 8))
