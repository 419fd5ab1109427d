from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.red_team_run import RedTeamRun, open_red_team_run
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.workspace.dirs import Dirs
from tests.redteam.toys import NARROW, make_toy


@pytest.fixture(scope="session")
def red_places(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Dirs:
    return Dirs(cache=cache, runs=tmp_path_factory.mktemp("red runs"))


@pytest.fixture(scope="session")
def narrow_toy(red_places: Dirs, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> PreparedTask:
    """The toy task with limits that attacks run into soon."""
    return make_toy(tmp_path_factory.mktemp("tasks") / "toy", red_places, sandbox, NARROW)


@pytest.fixture(scope="session")
def toy_arena(narrow_toy: PreparedTask, red_places: Dirs) -> Generator[RedTeamRun]:
    """One run that all attacks on toy are steps of: its baseline is measured once."""
    with open_red_team_run(narrow_toy, red_places, Silent()) as opened:
        yield opened


@pytest.fixture(scope="session")
def hurried_arena(toy_arena: RedTeamRun) -> RedTeamRun:
    """The same run with little patience in training: for attacks that do nothing, for ever."""
    folder, track = toy_arena.prepared.folder, toy_arena.prepared.track
    (training,) = track.training
    limits = training.limits.model_copy(update={"wall_seconds": 4})
    hurried = track.model_copy(update={"training": (training.model_copy(update={"limits": limits}),)})
    task = folder.task.model_copy(update={"tracks": {"cpu": hurried}})
    prepared = replace(toy_arena.prepared, folder=replace(folder, task=task))
    return replace(toy_arena, prepared=prepared, session=replace(toy_arena.session, prepared=prepared))
