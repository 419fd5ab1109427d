"""A job's command and environment are the same at every isolation level."""

import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.process_setup import (
    limit_launcher,
    limit_namespace,
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


@pytest.fixture
def launcher() -> Iterator[int]:
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process.pid
        process.kill()


MB = 2**20
SMALL = Limits(cpu_seconds=1, wall_seconds=1, memory_mb=100, disk_mb=20, scratch_mb=30, processes=7)


def test_without_a_cgroup_the_address_space_is_limited_with_room_to_spare(launcher: int) -> None:
    limit_launcher(launcher, job(limits=SMALL), in_cgroup=False)
    assert resource.prlimit(launcher, resource.RLIMIT_AS) == ((200 + 4096) * MB,) * 2
    assert resource.prlimit(launcher, resource.RLIMIT_FSIZE) == (31 * MB, 31 * MB)
    assert resource.prlimit(launcher, resource.RLIMIT_CORE) == (0, 0)


@pytest.mark.parametrize(("in_cgroup", "devices"), [(True, ()), (False, ("/dev/nvidia*",))])
def test_in_a_cgroup_or_with_devices_the_address_space_is_not_limited(
    launcher: int, in_cgroup: bool, devices: tuple[str, ...]
) -> None:
    before = resource.prlimit(launcher, resource.RLIMIT_AS)
    limit_launcher(launcher, job(limits=SMALL, devices=devices), in_cgroup=in_cgroup)
    assert resource.prlimit(launcher, resource.RLIMIT_AS) == before


def test_a_namespace_has_room_for_its_own_first_process(launcher: int) -> None:
    limit_namespace(launcher, job(limits=SMALL))
    assert resource.prlimit(launcher, resource.RLIMIT_NPROC) == (8, 8)
