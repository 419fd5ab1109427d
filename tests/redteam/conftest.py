from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.red_team import RedTeamRun, open_red_team_run
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.workspace.dirs import Dirs
from tests.redteam.toys import NARROW, make_toy


@pytest.fixture(scope="session")
def red_dirs(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Dirs:
    return Dirs(cache=cache, runs=tmp_path_factory.mktemp("red runs"))


@pytest.fixture(scope="session")
def narrow_toy(red_dirs: Dirs, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> PreparedTask:
    """The toy task with low limits."""
    return make_toy(tmp_path_factory.mktemp("tasks") / "toy", red_dirs, sandbox, NARROW)


@pytest.fixture(scope="session")
def toy_run(narrow_toy: PreparedTask, red_dirs: Dirs) -> Generator[RedTeamRun]:
    """One run for all attacks on toy, so that its baseline is measured once."""
    with open_red_team_run(narrow_toy, red_dirs, Silent()) as opened:
        yield opened


@pytest.fixture(scope="session")
def short_run(toy_run: RedTeamRun) -> RedTeamRun:
    """The same run with a short wall-time limit in training, for attacks that sleep forever."""
    folder, track = toy_run.prepared.folder, toy_run.prepared.track
    (training,) = track.training
    limits = training.limits.model_copy(update={"wall_seconds": 4})
    limited = track.model_copy(update={"training": (training.model_copy(update={"limits": limits}),)})
    task = folder.task.model_copy(update={"tracks": {"cpu": limited}})
    prepared = replace(toy_run.prepared, folder=replace(folder, task=task))
    return replace(toy_run, prepared=prepared, session=replace(toy_run.session, prepared=prepared))
