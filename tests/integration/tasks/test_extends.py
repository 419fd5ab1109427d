"""A task that extends another one takes over what it does not define itself."""

import shutil
from pathlib import Path

import pytest

from fmlbench.core.progress import Silent
from fmlbench.engine.preparation import prepare
from fmlbench.engine.variants import Variants
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs

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


@pytest.mark.sandbox
def test_it_can_be_prepared_and_run(paper: Path, dirs: Dirs, sandbox: Sandbox):
    ready = prepare(read_task(paper), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    scores = Variants(ready, dirs, Silent()).measure("reference", 1)
    assert scores.test[0] > 0.5


@pytest.mark.sandbox
def test_it_can_be_prepared_and_run_on_another_codebase(toy: Path, paper: Path, dirs: Dirs, sandbox: Sandbox):
    shutil.copytree(toy / "codebase", paper / "other")
    (paper / "other" / "NOTICE").write_text("another codebase")
    write(paper, CODEBASE + VARIANTS)
    ready = prepare(read_task(paper), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    assert (ready.codebase / "NOTICE").exists()
    variants = Variants(ready, dirs, Silent())
    assert variants.measure("method_off", 1).test[0] < variants.measure("baseline", 1).test[0]
