"""Control groups: where they are created, their figures, and their removal."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.cgroups import (
    groups_of,
    open_group,
    remove_stale,
    usable_parents,
)

LIMITS = Limits(cpu_seconds=1, wall_seconds=1, memory_mb=100, processes=10)
needs_cgroups = pytest.mark.skipif(usable_parents() is None, reason="this user may not make control groups")


@needs_cgroups
def test_a_group_exists_until_it_is_removed() -> None:
    name = f"a job/with spaces {uuid.uuid4().hex}"
    group = open_group(name, LIMITS)
    assert group
    try:
        with subprocess.Popen(["sleep", "1000"]) as sleeper:
            group.add(sleeper.pid)
            assert group.pids() == [sleeper.pid]
            assert groups_of(name[-32:]) == [
                f"fmlbench.{os.getpid()}.{_start()}.{name.replace('/', '-').replace(' ', '-')}"
            ]
            sleeper.kill()
    finally:
        group.remove()
    assert groups_of(name[-32:]) == []


@needs_cgroups
def test_groups_of_a_dead_harness_are_killed_and_removed() -> None:
    name = f"orphan-{uuid.uuid4().hex}"
    harness = f"""
import subprocess, sys
from fmlbench.core.task import Limits
from fmlbench.sandbox.cgroups import open_group
group = open_group({name!r}, Limits(cpu_seconds=1, wall_seconds=1, memory_mb=100))
child = subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
group.add(child.pid)
print(child.pid, flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", harness], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        sleeper = int(process.stdout.readline())
        assert groups_of(name)
        assert not [group for group in remove_stale() if name in group]
        process.kill()
    assert [name in group for group in remove_stale() if name in group] == [True]
    assert groups_of(name) == []
    stat = Path(f"/proc/{sleeper}/stat")
    assert not stat.exists() or stat.read_text().split()[2] == "Z"


def _start() -> int:
    return int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
