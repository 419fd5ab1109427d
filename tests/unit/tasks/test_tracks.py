"""Tracks of a task differ only in size."""

import shutil
from pathlib import Path

import pytest

from fmlbench.core.errors import BadRequest
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


def test_a_track_uses_the_task_files(toy: Path):
    add(toy, PAPER)
    paper = read_task(toy).on("paper")
    assert paper.task.environment.name == "numpy"
    assert paper.experiment == {"driver.py": toy / "experiment" / "driver.py"}
    assert list(paper.task.tracks) == ["paper"]


def test_selecting_a_track_twice_changes_nothing(toy: Path):
    add(toy, PAPER)
    paper = read_task(toy).on("paper")
    assert paper.on("paper") == paper
    smoke = read_task(toy).on("paper", smoke=True)
    assert smoke.on("paper", smoke=True) == smoke == smoke.on("paper")


def test_a_smoke_track_changes_settings_and_needs_no_device(toy: Path):
    add(toy, PAPER)
    folder = read_task(toy)
    tried = folder.on("paper", smoke=True).track("paper")
    assert tried.settings == {"rows": 10, "device": "cpu"}
    assert tried.devices == ()
    assert folder.on("paper", smoke=True).digest != folder.on("paper").digest


def test_only_tracks_with_smoke_settings_have_a_smoke_track(toy: Path):
    with pytest.raises(BadRequest, match="Track 'cpu' of task 'toy' has no smoke test"):
        read_task(toy).on("cpu", smoke=True)
