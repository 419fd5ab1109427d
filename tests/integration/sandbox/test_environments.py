import multiprocessing
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from fmlbench.core.errors import EnvironmentBroken, TaskInvalid
from fmlbench.core.progress import Silent
from fmlbench.core.task import Environment
from fmlbench.sandbox.environments import build, built_environments
from fmlbench.sandbox.protocol import TaskPython
from fmlbench.workspace.dirs import Dirs

PINNED = "# imports: tiny\ntiny==1.0\n"


class RecordedProgress(Silent):
    """Progress that records what was started and how often it was finished."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended = 0

    def start(self, what: str, total: float | None = None) -> None:
        self.begun.append(what)

    def finish(self) -> None:
        self.ended += 1


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is pip's only index."""
    folder = tmp_path / "find links"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    add_wheel(folder, "tiny", "ANSWER = 42\n")
    return folder


def add_wheel(links: Path, name: str, text: str) -> None:
    with zipfile.ZipFile(links / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", text)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")


@pytest.fixture
def home(tmp_path: Path) -> Dirs:
    return Dirs(cache=tmp_path / "the cache", runs=tmp_path / "runs")


def make(requirements: str, home: Dirs, progress: Silent | None = None) -> TaskPython:
    task_folder = home.cache.parent / "my task"
    task_folder.mkdir(exist_ok=True)
    (task_folder / "needs.txt").write_text(requirements)
    environment = Environment(name="tiny", requirements="needs.txt")
    return build(environment, task_folder=task_folder, dirs=home, progress=progress or Silent())


def answer_of(python: TaskPython) -> str:
    command = [str(python.executable), "-I", "-c", "import tiny; print(tiny.ANSWER)"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def folders_in(home: Dirs) -> list[Path]:
    return [path for path in home.environments.iterdir() if path.is_dir()]


def test_builds_what_is_pinned_once(links: Path, home: Dirs):
    progress = RecordedProgress()
    python = make(PINNED, home, progress)
    assert answer_of(python) == "42"
    assert progress.begun == [
        "Environment tiny: creating it",
        "Environment tiny: installing",
        "Environment tiny: tiny-1.0",
        "Environment tiny: unpacking and compiling all packages",
        "Environment tiny: importing tiny",
    ]
    assert progress.ended == len(progress.begun)
    assert list(python.executable.parents[1].rglob("tiny.*.pyc"))

    shutil.rmtree(links)
    again = RecordedProgress()
    assert make(f"# a comment changes nothing\n{PINNED}  # nor does this", home, again) == python
    assert again.begun == []


def test_an_interrupted_build_is_repeated(links: Path, home: Dirs):
    folder = make(PINNED, home).executable.parents[1]
    (folder / "complete").unlink()
    (folder / "scrap").write_text("left behind")
    assert built_environments(home) == []
    assert answer_of(make(PINNED, home)) == "42"
    assert not (folder / "scrap").exists()
    assert built_environments(home) == [folder.name]


def test_an_environment_without_its_base_python_is_rebuilt(links: Path, home: Dirs):
    python = make(PINNED, home)
    python.executable.unlink()
    assert answer_of(make(PINNED, home)) == "42"


def test_reports_pips_error_and_leaves_only_the_log(links: Path, home: Dirs):
    with pytest.raises(EnvironmentBroken) as caught:
        make("tiny==2.0\n", home)
    assert "The environment 'tiny' could not be built; installing failed" in caught.value.message
    assert "No matching distribution found for tiny==2.0" in caught.value.message
    assert "\n" not in caught.value.message
    assert folders_in(home) == []
    (log,) = home.environments.glob("*.log")
    assert str(log) in caught.value.hint
    assert "No matching distribution" in log.read_text()


def test_a_failing_import_fails_the_build(links: Path, home: Dirs):
    add_wheel(links, "broken", "raise ImportError('no such operator')\n")
    with pytest.raises(EnvironmentBroken, match=r"importing broken failed: .*no such operator"):
        make("# imports: tiny, broken\ntiny==1.0\nbroken==1.0\n", home)
    assert folders_in(home) == []


def test_an_unknown_shared_environment_names_the_known_ones(home: Dirs, tmp_path: Path):
    with pytest.raises(TaskInvalid) as caught:
        build(Environment(name="jax"), task_folder=tmp_path, dirs=home, progress=Silent())
    assert "numpy" in caught.value.hint
    assert "torch" in caught.value.hint


def _build_in_a_process(home: Dirs) -> TaskPython:
    return make(PINNED, home)


def test_two_processes_build_one_environment(links: Path, home: Dirs):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        jobs = [pool.apply_async(_build_in_a_process, (home,)) for _ in range(2)]
        first, second = [job.get(timeout=200) for job in jobs]
    assert first == second
    assert answer_of(first) == "42"
    (log,) = home.environments.glob("*.log")
    assert log.read_text().count("Successfully installed tiny-1.0") == 1


@pytest.mark.real
def test_builds_the_shared_environment_of_small_tasks(home: Dirs, tmp_path: Path):
    python = build(Environment(name="numpy"), task_folder=tmp_path, dirs=home, progress=Silent())
    command = [str(python.executable), "-I", "-c", "import numpy; print(numpy.__version__)"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "2.4.6"
