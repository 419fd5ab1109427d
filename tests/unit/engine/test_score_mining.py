"""Score mining gains on validation, and hardly on the hidden test."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.score_mining import Mined, mine
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
