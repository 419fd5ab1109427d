"""The two versions of control groups: kernel limits on the memory and processes of a job."""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from fmlbench.core.task import Limits
from fmlbench.sandbox.processes import ProcessUsage, UsageMeter

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
