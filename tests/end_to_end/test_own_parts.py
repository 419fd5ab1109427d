"""What a track has of its own is laid over the task's: of two files of a name, stages and graders meet the track's."""

import shutil
from pathlib import Path

import pytest

from fmlbench.tasks.library import find_task
from tests.terminal import Terminal

PAPER = """
[tracks.paper]
settings = { classes = 4, train_rows = 800, validation_rows = 400, test_rows = 400 }
own = { folder = "paper" }

[[tracks.paper.training]]
name = "train"
data = ["train"]
limits = { cpu_seconds = 10, wall_seconds = 120, memory_mb = 1024, disk_mb = 32 }

[tracks.paper.exam]
limits = { cpu_seconds = 10, wall_seconds = 120, memory_mb = 1024, disk_mb = 32 }
answers = { kind = "independent", dtype = "int64" }
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task whose grader asks a file beside it how much answers are worth; on one track, nothing."""
    folder = Path(shutil.copytree(find_task("toy").path, tmp_path / "mine"))
    grader = folder / "grader" / "grade.py"
    asking = "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\nfrom worth import WORTH\n"
    grader.write_text(
        asking + grader.read_text().replace("np.mean(answers == labels)", "WORTH * np.mean(answers == labels)")
    )
    (folder / "grader" / "worth.py").write_text("WORTH = 1\n")
    (folder / "paper" / "grader").mkdir(parents=True)
    (folder / "paper" / "grader" / "worth.py").write_text("WORTH = 0\n")
    with (folder / "task.toml").open("a") as manifest:
        manifest.write(PAPER)
    return folder


@pytest.mark.parametrize("isolation", [(), ("--unsealed",)])
def test_a_grader_meets_the_file_of_its_track(cache: Path, tmp_path: Path, task: Path, isolation: tuple[str, ...]):
    terminal = Terminal(cache, tmp_path / "runs")
    words = ("run", str(task), "--agent", "noop", "--steps", "1", "--retest", "0", *isolation, "--track")
    cpu, paper = (terminal.ask(*words, track)["summary"]["baseline"] for track in ("cpu", "paper"))
    assert paper == 0
    assert cpu > 0
