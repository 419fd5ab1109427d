"""The grader of generalization, against figures worked out by hand."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_grader, run_program


@pytest.fixture(scope="module")
def program() -> Path:
    return find_task("generalization").grader["grade.py"]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("generalization")


DOMAINS = np.repeat(np.arange(12), 4)
LABELS = np.full(48, 7)
ANSWERS = LABELS.copy()
ANSWERS[[0, 40, 44, 45, 46]] = [1, 2, 3, 99, -1]
"""Right: three of four in domain 0 (seen), all in 1 to 9, three of four in 10 and one of four in 11 (unseen)."""


def test_the_program_reads_answers_and_writes_a_grade(program: Path, tmp_path: Path):
    (tmp_path / "labels").mkdir()
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "labels" / "labels.npy", LABELS)
    np.save(tmp_path / "labels" / "domains.npy", DOMAINS)
    np.save(tmp_path / "answers.npy", ANSWERS)
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] == pytest.approx(0.5)
