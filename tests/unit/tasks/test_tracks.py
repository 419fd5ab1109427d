"""A track may differ from others only in size, or override codebase, data and programs."""

import shutil
from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest, TaskInvalid
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.library import find_task

PAPER = """
[tracks.paper]
settings = { rows = 100000, device = "cuda" }
devices = ["/dev/nvidia*"]
smoke = { rows = 10, device = "cpu" }

[[tracks.paper.training]]
name = "train"
limits = { cpu_seconds = 900, wall_seconds = 3600, memory_mb = 8192 }

[tracks.paper.exam]
limits = { cpu_seconds = 60, wall_seconds = 600, memory_mb = 8192 }
answers = { kind = "independent", dtype = "int64" }
"""

OWN = """
[tracks.paper.own]
folder = "paper"
environment = { name = "torch" }
"""

OWN_CODEBASE = """
[tracks.paper.own.codebase]
name = "other"
version = "1"
licence = "MIT"
homepage = ""
digest = "0000000000000000000000000000000000000000000000000000000000000000"

[[tracks.paper.own.codebase.sources]]
kind = "path"
path = "elsewhere"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(find_task("toy").path, tmp_path / "toy"))


def add(toy: Path, *tables: str) -> None:
    with (toy / "task.toml").open("a") as manifest:
        manifest.writelines(tables)


def test_a_new_track_leaves_the_others_as_they_were(toy: Path):
    before = read_task(toy).on("cpu").digest
    add(toy, PAPER)
    assert read_task(toy).on("cpu").digest == before
    assert read_task(toy).on("paper").digest != before


def test_a_track_without_overrides_uses_the_task_files(toy: Path):
    add(toy, PAPER)
    paper = read_task(toy).on("paper")
    assert paper.task.environment.name == "numpy"
    assert paper.experiment.folders == (toy / "experiment",)
    assert list(paper.task.tracks) == ["paper"]


def test_files_of_a_track_override_those_of_the_task(toy: Path):
    helper = toy / "paper" / "experiment" / "helper.py"
    helper.parent.mkdir(parents=True)
    helper.touch()
    add(toy, PAPER, OWN)
    paper = read_task(toy).on("paper")
    assert paper.task.environment.name == "torch"
    assert paper.experiment.files() == {"helper.py": helper, "driver.py": toy / "experiment" / "driver.py"}
    assert paper.grader.folders == (toy / "grader",)
    assert paper.task.codebase == read_task(toy).task.codebase


def test_a_change_of_a_tracks_files_changes_only_its_digest(toy: Path):
    driver = toy / "paper" / "experiment" / "driver.py"
    driver.parent.mkdir(parents=True)
    add(toy, PAPER, OWN)
    cpu, paper = (read_task(toy).on(track).digest for track in ("cpu", "paper"))
    driver.write_text("print('another way')\n")
    assert read_task(toy).on("cpu").digest == cpu
    assert read_task(toy).on("paper").digest != paper


def test_selecting_a_track_twice_changes_nothing(toy: Path):
    (toy / "paper").mkdir()
    add(toy, PAPER, OWN)
    paper = read_task(toy).on("paper")
    assert paper.on("paper") == paper


def test_a_smoke_track_changes_settings_and_needs_no_device(toy: Path):
    add(toy, PAPER)
    folder = read_task(toy)
    tried = folder.on("paper-smoke").track("paper-smoke")
    assert tried.settings == {"rows": 10, "device": "cpu"}
    assert tried.devices == ()
    assert folder.on("paper-smoke").digest != folder.on("paper").digest


def test_only_tracks_with_smoke_settings_have_a_smoke_track(toy: Path):
    with pytest.raises(BadRequest, match="no track named 'cpu-smoke'"):
        read_task(toy).on("cpu-smoke")


def test_another_codebase_needs_its_own_variants(toy: Path):
    add(toy, PAPER, OWN_CODEBASE)
    with pytest.raises(TaskInvalid, match="its own editable files, reference and method_off"):
        read_task(toy)


def test_missing_folders_of_a_track_are_reported(toy: Path):
    add(toy, PAPER, OWN)
    with pytest.raises(TaskInvalid, match="lacks paper"):
        read_task(toy)
