"""A job's command and environment are the same at every isolation level."""

from pathlib import Path

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.process_setup import (
    check_targets,
    command_of,
    covered_parts,
    environment_of,
    missing_parts,
    working_folder_of,
)
from fmlbench.sandbox.protocol import Job, Mount, TaskPython


def job(*targets: str, **changes: object) -> Job:
    facts: dict[str, object] = {
        "name": "run-1",
        "python": TaskPython(Path("/env/bin/python"), ()),
        "script": "task/driver.py",
        "mounts": tuple(Mount(Path("/somewhere"), target) for target in targets),
        "limits": Limits(cpu_seconds=1, wall_seconds=1, memory_mb=1),
        "log": Path("log"),
        "threads": 2,
        "import_path": ("repo", "kit"),
        **changes,
    }
    return Job(**facts)  # pyright: ignore[reportArgumentType]


def test_the_command_ends_with_the_root() -> None:
    assert command_of(job(arguments=("--fast",)), "/") == [
        *("/env/bin/python", "-B", "-u", "/task/driver.py", "--fast", "/")
    ]
    assert command_of(job(isolated=True), "/a root")[:2] == ["/env/bin/python", "-I"]
    assert command_of(job(), "/a root")[-2:] == ["/a root/task/driver.py", "/a root"]


def test_the_environment_is_fixed() -> None:
    assert environment_of(job(), "/") == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/scratch",
        "USER": "candidate",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": "/repo:/kit",
        "OMP_NUM_THREADS": "2",
        "MKL_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
    }
    assert environment_of(job(), "/r")["PYTHONPATH"] == "/r/repo:/r/kit"
    assert working_folder_of(job(), "/r") == "/r/scratch"


def test_separate_mounts_are_valid() -> None:
    check_targets(job("repo", "data/train", "data/more", "stage.json"))


@pytest.mark.parametrize("targets", [("repo", "repo"), ("data", "data/train"), ("data/train", "data")])
def test_mounts_that_cover_each_other_are_rejected(targets: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="covers another"):
        check_targets(job(*targets))


@pytest.mark.parametrize("target", ["", ".", "/repo", "../repo", "a/../../b", "proc", "usr/bin", "scratch/x"])
def test_mounts_over_system_folders_or_outside_the_root_are_rejected(target: str) -> None:
    with pytest.raises(ValueError, match="not a valid mount target"):
        check_targets(job(target))


def test_missing_parts_are_named(tmp_path: Path) -> None:
    python = TaskPython(tmp_path, (tmp_path / "lib",))
    assert missing_parts(job("repo", python=python)) == [tmp_path / "lib", Path("/somewhere")]


@pytest.mark.parametrize(
    ("python", "target", "is_covered"),
    [
        ("/repo/cache/env", "repo", True),
        ("/repo", "repo", True),
        ("/data/cache/env", "data/train", False),
        ("/repository/env", "repo", False),
    ],
)
def test_a_python_that_a_mount_would_hide_is_found(python: str, target: str, is_covered: bool) -> None:
    folder = Path(python)
    found = covered_parts(job(target, python=TaskPython(folder / "bin/python", (folder,))))
    assert found == ([folder] if is_covered else [])
