"""A task that extends another one takes over what it does not define itself."""

import shutil
from pathlib import Path

import pytest

from fmlbench.core.errors import TaskInvalid
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.library import find_task

CODEBASE = """
[codebase]
name = "other"
version = "1"
licence = "MIT"
homepage = ""
sources = [{ kind = "path", path = "other" }]
"""
VARIANTS = """
[editable]
globs = ["tinylearn/*.py"]
suggested = ["tinylearn/training.py"]

[reference]
idea = "More steps."
edits = [{ file = "tinylearn/training.py", search = "classes, rng)", replace = "classes, rng, steps=999)" }]

[method_off]
idea = "No steps."
edits = [{ file = "tinylearn/training.py", search = "classes, rng)", replace = "classes, rng, steps=0)" }]
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(find_task("toy").path, tmp_path / "toy"))


@pytest.fixture
def paper(toy: Path) -> Path:
    """A task that has nothing but a name and a title of its own."""
    folder = toy.parent / "paper-toy"
    folder.mkdir()
    write(folder, "")
    (folder / "README.md").write_text("# A paper's toy\n")
    return folder


def write(folder: Path, tables: str) -> None:
    head = f'name = "{folder.name}"\nextends = "../toy"\ntitle = "A toy of a paper"\n'
    (folder / "task.toml").write_text(head + tables)


def test_it_takes_over_manifest_programs_and_instructions(toy: Path, paper: Path):
    base, task = read_task(toy), read_task(paper)
    assert (task.task.name, task.task.title) == ("paper-toy", "A toy of a paper")
    assert (task.task.question, task.task.metric) == (base.task.question, base.task.metric)
    assert (task.experiment, task.grader, task.recipe) == (base.experiment, base.grader, base.recipe)
    assert task.instructions == base.instructions
    assert task.on("cpu").experiment == base.experiment


def test_suites_and_calibrations_are_not_taken_over(paper: Path):
    task = read_task(paper).task
    assert task.suites == ()
    assert task.tracks["cpu"].calibration is None


def test_its_files_and_fields_replace_those_of_the_other_task(toy: Path, paper: Path):
    write(paper, '\n[environment]\nname = "torch"\n')
    (paper / "experiment").mkdir()
    for name in ("driver.py", "helper.py"):
        (paper / "experiment" / name).touch()
    (paper / "grader").mkdir()
    (paper / "grader" / "helper.py").touch()
    task = read_task(paper)
    assert task.task.environment.name == "torch"
    assert set(task.experiment.values()) == set((paper / "experiment").iterdir())
    assert task.grader["helper.py"] == paper / "grader" / "helper.py"
    assert task.grader["grade.py"] == toy / "grader" / "grade.py"


def test_a_change_of_the_other_task_changes_its_digest(toy: Path, paper: Path):
    before = read_task(paper).digest
    (toy / "grader" / "grade.py").write_text("other grader")
    assert read_task(paper).digest != before


def test_with_another_codebase_it_needs_editable_files_and_variants(paper: Path):
    write(paper, CODEBASE)
    with pytest.raises(TaskInvalid, match="editable"):
        read_task(paper)
    write(paper, CODEBASE + VARIANTS)
    task = read_task(paper).task
    assert (task.exploits, task.attacks, task.overlay) == ((), (), "")


def test_a_task_cannot_extend_itself(toy: Path, paper: Path):
    manifest = (toy / "task.toml").read_text()
    (toy / "task.toml").write_text('extends = "../paper-toy"\n' + manifest)
    with pytest.raises(TaskInvalid, match="extends itself"):
        read_task(paper)


def test_a_missing_task_is_reported(paper: Path):
    (paper / "task.toml").write_text('name = "paper-toy"\nextends = "../nowhere"\n')
    with pytest.raises(TaskInvalid, match=r"nowhere' is not a task folder"):
        read_task(paper)
