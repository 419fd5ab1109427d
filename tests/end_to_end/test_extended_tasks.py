"""A task that extends another: of two files with the same name, stages and graders get that of the extending task."""

import shutil
from pathlib import Path

import pytest

from fmlbench.tasks.library import find_task
from tests.terminal import Terminal


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task whose grader imports what answers are worth from a file beside it."""
    folder = Path(shutil.copytree(find_task("toy").path, tmp_path / "mine"))
    grader = folder / "grader" / "grade.py"
    imports = "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\nfrom worth import WORTH\n"
    formula = "np.mean(answers == labels)"
    assert formula in grader.read_text()
    grader.write_text(imports + grader.read_text().replace(formula, f"WORTH * {formula}"))
    (folder / "grader" / "worth.py").write_text("WORTH = 1\n")
    return folder


@pytest.fixture
def extending(task: Path) -> Path:
    """The same task, but its answers are worth nothing."""
    folder = task.parent / "extending"
    (folder / "grader").mkdir(parents=True)
    (folder / "grader" / "worth.py").write_text("WORTH = 0\n")
    (folder / "task.toml").write_text(
        'name = "extending"\nextends = "../mine"\ntitle = "Answers that are worth nothing"\n'
    )
    (folder / "README.md").write_text("# A task that extends another\n")
    return folder


@pytest.mark.parametrize("isolation", [(), ("--unsealed",)])
def test_a_grader_imports_the_file_of_the_extending_task(
    cache: Path, tmp_path: Path, task: Path, extending: Path, isolation: tuple[str, ...]
):
    terminal = Terminal(cache, tmp_path / "runs")
    words = ("--agent", "noop", "--steps", "1", "--retest", "0", *isolation)
    plain, worthless = (terminal.ask("run", str(one), *words)["summary"]["baseline"] for one in (task, extending))
    assert worthless == 0
    assert plain > 0
