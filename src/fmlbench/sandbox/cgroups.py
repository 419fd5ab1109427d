"""Control groups for jobs, where this user may make them.

They are named ``fmlbench.PID.START.JOB`` after the harness (its process number and start) and the job, so that the
leftovers of a harness that was killed can be told from the groups of one that is at work.
"""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fmlbench.core.task import Limits
from fmlbench.sandbox.cgroup_versions import Cgroup, CgroupV1, CgroupV2, kill_and_remove
from fmlbench.sandbox.processes import start_ticks_of

_NAME = re.compile(r"fmlbench\.(?P<pid>\d+)\.(?P<start>\d+)\..+")
_V1_CONTROLLERS = ("memory", "pids", "cpuacct")
_LONGEST_NAME = 200
_NO_LIMIT_BYTES = 2**62


@dataclass(frozen=True)
class _Mount:
    path: Path
    root: str
    """Which part of the hierarchy is mounted there: not all of it inside a container."""

    def folder_of(self, group: str) -> Path:
        return self.path / group.removeprefix(self.root).lstrip("/")


@dataclass(frozen=True)
class Homes:
    """The folders that groups are made in: one for version 2; memory, pids and cpuacct for version 1."""

    folders: tuple[Path, ...]

    @property
    def version(self) -> int:
        """Which version of control groups this is."""
        return 2 if len(self.folders) == 1 else 1

    def group(self, name: str) -> CgroupV1 | CgroupV2:
        """A group of that name, not yet made."""
        if self.version == 2:
            return CgroupV2(self.folders[0] / name)
        memory, pids, cpuacct = (folder / name for folder in self.folders)
        return CgroupV1(memory, pids, cpuacct)


def open_group(job_name: str, limits: Limits) -> Cgroup | None:
    """Make a group for a job; None where this user may not."""
    homes = usable_homes()
    if homes is None:
        return None
    group = homes.group(group_name(job_name))
    try:
        group.limit(limits)
    except BaseException:
        group.remove()
        raise
    return group


def group_name(job_name: str) -> str:
    """The name of a job's group."""
    readable = re.sub(r"[^A-Za-z0-9_.-]", "-", job_name)[:_LONGEST_NAME]
    return f"fmlbench.{os.getpid()}.{start_ticks_of(os.getpid())}.{readable}"


def groups_of(job_name_part: str) -> list[str]:
    """The groups there are whose job has this in its name: empty when nothing was left behind."""
    homes = usable_homes()
    names = {path.name for folder in homes.folders for path in folder.glob("fmlbench.*")} if homes else set[str]()
    return sorted(name for name in names if job_name_part in name)


def remove_stale() -> list[str]:
    """Remove the groups of harnesses that are no more, with all that is still in them; return their names."""
    homes = usable_homes()
    if homes is None:
        return []
    stale = [name for name in groups_of("") if _is_stale(name)]
    for name in stale:
        kill_and_remove([folder / name for folder in homes.folders])
    return stale


def _is_stale(name: str) -> bool:
    owner = _NAME.fullmatch(name)
    return owner is not None and start_ticks_of(int(owner["pid"])) != int(owner["start"])


@lru_cache(maxsize=1)
def usable_homes() -> Homes | None:
    """Where groups can be made, found out by making one."""
    for homes in find_homes(Path("/proc")):
        probe = homes.group(group_name("probe"))
        try:
            probe.limit(Limits(cpu_seconds=1, wall_seconds=1, memory_mb=64))
        except OSError:
            continue
        finally:
            probe.remove()
        return homes
    return None


def find_homes(proc: Path) -> list[Homes]:
    """Where groups with all the limits we need might be made, the better place first."""
    mounts = _mounts(proc)
    own = _own_groups(proc)
    return [*_homes_v2(mounts, own), *_homes_v1(mounts, own)]


def _homes_v2(mounts: dict[str, _Mount], own: dict[str, str]) -> list[Homes]:
    if "" not in mounts or "" not in own:
        return []
    here = mounts[""].folder_of(own[""])
    # A group with processes of its own cannot hand controllers down: beside us is the usual place, below us a rare one.
    candidates = [here, here.parent] if here != mounts[""].path else [here]
    return [Homes((place,)) for place in candidates if {"memory", "pids"} <= _handed_down(place)]


def _homes_v1(mounts: dict[str, _Mount], own: dict[str, str]) -> list[Homes]:
    if not all(name in mounts and name in own for name in _V1_CONTROLLERS):
        return []
    below_us = [mounts[name].folder_of(own[name]) for name in _V1_CONTROLLERS]
    # Who put a limit on us meant our jobs too. Without one the top is better: there, the next harness finds leftovers.
    if _memory_limit(below_us[0]) < _NO_LIMIT_BYTES:
        return [Homes(tuple(below_us))]
    return [Homes(tuple(mounts[name].path for name in _V1_CONTROLLERS))]


def _mounts(proc: Path) -> dict[str, _Mount]:
    """Where hierarchies are mounted, by controller; version 2 under the empty name."""
    found: dict[str, _Mount] = {}
    for line in (proc / "self/mountinfo").read_text("utf-8").splitlines():
        before, after = line.split(" - ", 1)
        kind, _, options = after.split(" ", 2)
        mount = _Mount(path=Path(before.split()[4]), root=before.split()[3])
        if kind == "cgroup2":
            found[""] = mount
        elif kind == "cgroup":
            found.update(dict.fromkeys(options.split(","), mount))
    return found


def _own_groups(proc: Path) -> dict[str, str]:
    """The groups this process is in, by controller; version 2 under the empty name."""
    found: dict[str, str] = {}
    for line in (proc / "self/cgroup").read_text("utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        found.update(dict.fromkeys(controllers.split(","), path))
    return found


def _handed_down(folder: Path) -> set[str]:
    try:
        return set((folder / "cgroup.subtree_control").read_text("ascii").split())
    except OSError:
        return set()


def _memory_limit(folder: Path) -> int:
    try:
        lines = (folder / "memory.stat").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("hierarchical_memory_limit")), 0)
