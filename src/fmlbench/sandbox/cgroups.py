"""Control groups (versions 1 and 2): kernel limits on the memory and processes of a job, if this user may create them.

They are named ``fmlbench.PID.START.JOB`` after the harness (its PID and start time) and the job, so that groups of a
killed harness can be distinguished from those of a running one.
"""

import contextlib
import os
import re
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from fmlbench.core.task import Limits
from fmlbench.records.lease import start_ticks_of
from fmlbench.sandbox.processes import ProcessUsage, UsageMeter

_NAME = re.compile(r"fmlbench\.(?P<pid>\d+)\.(?P<start>\d+)\..+")
_V1_CONTROLLERS = ("memory", "pids", "cpuacct")
_LONGEST_NAME = 200
_NO_LIMIT_BYTES = 2**62
_OWN_PROCESSES = 4
"""Sandbox processes in a job's group: the shell, its watcher, bubblewrap, and the first process of the namespace."""
_REMOVAL_SECONDS = 5.0


class Cgroup(UsageMeter, Protocol):
    """A group of processes with common limits."""

    def add(self, pid: int) -> None:
        """Move a process into the group; its later children belong to the group too."""
        ...

    def remove(self) -> None:
        """Kill all processes in the group and remove it."""
        ...


class CgroupV1:
    """One folder in each of three hierarchies."""

    def __init__(self, memory: Path, pids: Path, cpuacct: Path) -> None:
        self._memory = memory
        self._pids = pids
        self._cpuacct = cpuacct
        self._folders = (memory, pids, cpuacct)

    def limit(self, limits: Limits) -> None:
        """Create the group and set its limits."""
        for folder in self._folders:
            folder.mkdir()
        memory_bytes = limits.memory_mb * 2**20
        _write(self._memory / "memory.limit_in_bytes", memory_bytes)
        with contextlib.suppress(OSError):  # The file does not exist if swap accounting is off.
            _write(self._memory / "memory.memsw.limit_in_bytes", memory_bytes)
        _write(self._pids / "pids.max", limits.processes + _OWN_PROCESSES)

    def add(self, pid: int) -> None:
        """Move a process into the group."""
        for folder in self._folders:
            _write(folder / "cgroup.procs", pid)

    def pids(self) -> list[int]:
        """The processes in the group."""
        return _pids_in(self._pids)

    def usage(self) -> ProcessUsage:
        """The current resource usage of the group."""
        memory = _table(self._memory / "memory.stat")
        return ProcessUsage(
            cpu_seconds=int((self._cpuacct / "cpuacct.usage").read_bytes()) / 1e9,
            memory_bytes=memory["rss"] + memory["shmem"],
            processes=int((self._pids / "pids.current").read_bytes()) - _OWN_PROCESSES,
        )

    def oom_kills(self) -> int:
        """How many processes of the group the kernel's OOM killer has killed."""
        return _table(self._memory / "memory.oom_control").get("oom_kill", 0)

    def remove(self) -> None:
        """Kill all processes in the group and remove it."""
        kill_and_remove(self._folders)


class CgroupV2:
    """One folder in the unified hierarchy."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def limit(self, limits: Limits) -> None:
        """Create the group and set its limits."""
        self._folder.mkdir()
        _write(self._folder / "memory.max", limits.memory_mb * 2**20)
        with contextlib.suppress(OSError):  # The file does not exist on machines without swap.
            _write(self._folder / "memory.swap.max", 0)
        _write(self._folder / "pids.max", limits.processes + _OWN_PROCESSES)

    def add(self, pid: int) -> None:
        """Move a process into the group."""
        _write(self._folder / "cgroup.procs", pid)

    def pids(self) -> list[int]:
        """The processes in the group."""
        return _pids_in(self._folder)

    def usage(self) -> ProcessUsage:
        """The current resource usage of the group."""
        memory = _table(self._folder / "memory.stat")
        return ProcessUsage(
            cpu_seconds=_table(self._folder / "cpu.stat")["usage_usec"] / 1e6,
            memory_bytes=memory["anon"] + memory["shmem"],
            processes=int((self._folder / "pids.current").read_bytes()) - _OWN_PROCESSES,
        )

    def oom_kills(self) -> int:
        """How many processes of the group the kernel's OOM killer has killed."""
        return _table(self._folder / "memory.events").get("oom_kill", 0)

    def remove(self) -> None:
        """Kill all processes in the group and remove it."""
        kill_and_remove((self._folder,))


@dataclass(frozen=True)
class _Mount:
    path: Path
    root: str
    """The mounted part of the hierarchy; inside a container it is not the whole hierarchy."""

    def folder_of(self, group: str) -> Path:
        return self.path / group.removeprefix(self.root).lstrip("/")


@dataclass(frozen=True)
class CgroupParents:
    """The folders in which groups are created: one for version 2; memory, pids and cpuacct for version 1."""

    folders: tuple[Path, ...]

    @property
    def version(self) -> int:
        """The cgroup version, 1 or 2."""
        return 2 if len(self.folders) == 1 else 1

    def group(self, name: str) -> CgroupV1 | CgroupV2:
        """A group with that name; it is not created yet."""
        if self.version == 2:
            return CgroupV2(self.folders[0] / name)
        memory, pids, cpuacct = (folder / name for folder in self.folders)
        return CgroupV1(memory, pids, cpuacct)


def open_group(job_name: str, limits: Limits) -> Cgroup | None:
    """Create a group for a job; None if this user may not create groups."""
    parents = usable_parents()
    if parents is None:
        return None
    group = parents.group(group_name(job_name))
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
    parents = usable_parents()
    names = {path.name for folder in parents.folders for path in folder.glob("fmlbench.*")} if parents else set[str]()
    return sorted(name for name in names if job_name_part in name)


def remove_stale() -> list[str]:
    """Kill and remove the groups of harness processes that have ended; return their names."""
    parents = usable_parents()
    if parents is None:
        return []
    stale = [name for name in groups_of("") if _is_stale(name)]
    for name in stale:
        kill_and_remove([folder / name for folder in parents.folders])
    return stale


def _is_stale(name: str) -> bool:
    owner = _NAME.fullmatch(name)
    return owner is not None and start_ticks_of(int(owner["pid"])) != int(owner["start"])


@lru_cache(maxsize=1)
def usable_parents() -> CgroupParents | None:
    """Where this user can create groups, tested by creating one."""
    for parents in find_parents(Path("/proc")):
        probe = parents.group(group_name("probe"))
        try:
            probe.limit(Limits(cpu_seconds=1, wall_seconds=1, memory_mb=64))
        except OSError:
            continue
        finally:
            probe.remove()
        return parents
    return None


def find_parents(proc: Path) -> list[CgroupParents]:
    """Folders in which groups with the required controllers could be created, preferred ones first."""
    mounts = _mounts(proc)
    own = _own_groups(proc)
    return [*_parents_v2(mounts, own), *_parents_v1(mounts, own)]


def _parents_v2(mounts: dict[str, _Mount], own: dict[str, str]) -> list[CgroupParents]:
    if "" not in mounts or "" not in own:
        return []
    here = mounts[""].folder_of(own[""])
    # A group that contains processes cannot delegate controllers, so new groups are usually siblings of ours.
    candidates = [here, here.parent] if here != mounts[""].path else [here]
    return [CgroupParents((place,)) for place in candidates if {"memory", "pids"} <= _handed_down(place)]


def _parents_v1(mounts: dict[str, _Mount], own: dict[str, str]) -> list[CgroupParents]:
    if not all(name in mounts and name in own for name in _V1_CONTROLLERS):
        return []
    below = [mounts[name].folder_of(own[name]) for name in _V1_CONTROLLERS]
    # A memory limit on our group must also apply to jobs. Without one, use the top, where later runs find stale groups.
    if _memory_limit(below[0]) < _NO_LIMIT_BYTES:
        return [CgroupParents(tuple(below))]
    return [CgroupParents(tuple(mounts[name].path for name in _V1_CONTROLLERS))]


def _mounts(proc: Path) -> dict[str, _Mount]:
    """The mount points of the hierarchies, by controller; version 2 under the empty name."""
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


def kill_and_remove(folders: Sequence[Path]) -> None:
    """Kill all processes in a group and remove its folders; missing folders are ignored."""
    deadline = time.monotonic() + _REMOVAL_SECONDS
    for folder in folders:
        while folder.exists():
            for pid in _pids_in(folder):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            try:
                folder.rmdir()
            except FileNotFoundError:
                break
            except OSError:
                # A killed process stays in its group until it is reaped.
                if time.monotonic() > deadline:
                    return
                time.sleep(0.001)


def _pids_in(folder: Path) -> list[int]:
    try:
        numbers = map(int, (folder / "cgroup.procs").read_bytes().split())
    except OSError:
        return []
    # Processes of another PID namespace are listed as 0, and kill(0) would signal our own process group.
    return [pid for pid in numbers if pid > 0]


def _table(path: Path) -> dict[str, int]:
    return {name: int(value) for name, value in map(str.split, path.read_text("ascii").splitlines())}


def _write(path: Path, value: int) -> None:
    path.write_text(str(value), "ascii")
