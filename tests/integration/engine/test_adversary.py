"""Score mining gains on validation, and hardly on the hidden test."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fmlbench.core.progress import Silent
from fmlbench.core.task import ExamName
from fmlbench.engine.adversary import Mined, find_shared_parts, mine, mine_parts
from fmlbench.engine.variants import Variants
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.workspace.dirs import Dirs

pytestmark = pytest.mark.sandbox


@pytest.fixture
def forked(toy: PreparedTask) -> Generator[PreparedTask]:
    with ForkServer() as server:
        yield replace(toy, sandbox=server)


def mined(forked: PreparedTask, dirs: Dirs, scratch: Path, variant: str, steps: int) -> Mined:
    files = Variants(forked, dirs, Silent()).files_of(variant)
    return mine(forked, files, seed=0, steps=steps, scratch=scratch)


def test_steps_that_score_better_on_validation_are_kept(forked: PreparedTask, dirs: Dirs, tmp_path: Path):
    found = mined(forked, dirs, tmp_path, "method_off", 40)
    assert found.kept > 0
    assert found.validation > 0
    assert found.steps == 40


def test_no_step_gains_nothing(forked: PreparedTask, dirs: Dirs, tmp_path: Path):
    assert mined(forked, dirs, tmp_path, "baseline", 0) == Mined(steps=0, kept=0, validation=0.0, test=0.0)


def test_a_sample_without_parts_is_not_mined_by_parts(forked: PreparedTask, dirs: Dirs, tmp_path: Path):
    files = Variants(forked, dirs, Silent()).files_of("baseline")
    found = mine_parts(forked, files, seed=0, steps=100, scratch=tmp_path)
    assert found == Mined(steps=0, kept=0, validation=0.0, test=0.0)


def test_parts_are_whole_numbers_that_both_exams_ask_about():
    features = np.zeros((4, 2))
    shared = {
        ExamName.VALIDATION: {"features": features, "populations": np.array([0, 1, 1, 2])},
        ExamName.TEST: {"features": features, "populations": np.array([2, 1, 3, 3])},
    }
    name, parts = find_shared_parts(shared)
    assert name == "populations"
    assert parts.tolist() == [1, 2]
    separate = {exam: {"populations": np.arange(4) + 4 * number} for number, exam in enumerate(ExamName)}
    assert not len(find_shared_parts(separate)[1])
