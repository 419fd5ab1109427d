"""What the kernel tells about a process and all that descend from it, read from /proc."""

import os
import stat
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fmlbench.core.task import Limits

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

# Positions in /proc/PID/stat, counted from the state, which follows the name in parentheses.
_UTIME, _CSTIME, _THREADS, _START, _RSS = 11, 14, 17, 19, 21
_STILL = (b"T", b"t", b"Z", b"X", b"D")
"""Stopped, traced, dead, or within the kernel, where a process that was stopped stays when it would get out."""


@dataclass(frozen=True)
class ProcessUsage:
    """What the processes of a job use, or have used, at one moment."""

    cpu_seconds: float
    memory_bytes: int
    processes: int
    """Processes and threads alive."""


class UsageMeter(Protocol):
    """Something that can tell what a job uses."""

    def pids(self) -> list[int]:
        """The job's processes."""
        ...

    def usage(self) -> ProcessUsage:
        """What they use now."""
        ...

    def oom_kills(self) -> int:
        """How many of them the kernel killed because they used too much memory."""
        ...


@dataclass(frozen=True)
class _Stat:
    cpu_seconds: float
    """Its own and that of the children it has waited for."""
    threads: int
    rss_bytes: int
    start_ticks: int


class ProcessTree:
    """Meters the descendants of a process; needs no rights beyond those of the user who started them.

    The root is a sandbox's own process: only its CPU seconds count, with those of processes it has waited for. A child
    whose parent ignores SIGCHLD takes its CPU seconds with it when it ends, and memory that is mapped nowhere is not
    seen: a cgroup knows better, where there is one.
    """

    def __init__(self, root: int, limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._cpu_seconds = 0.0

    def pids(self) -> list[int]:
        """The descendants, without the root; not many more than are allowed, for bombs breed faster than we count."""
        found = _children_of(self._root)
        for pid in found:
            if len(found) > self._limits.processes:
                break
            found.extend(_children_of(pid))
        return found[: 2 * self._limits.processes]

    def usage(self) -> ProcessUsage:
        """Sum over the tree; the exact size of memory costs much more to read, so only where it matters."""
        pids = self.pids()
        stats = [known for known in map(_stat_of, pids) if known]
        # A process can end between two looks; what it had used was used all the same.
        root = _stat_of(self._root)
        ended_seconds = root.cpu_seconds if root else 0.0
        self._cpu_seconds = max(self._cpu_seconds, ended_seconds + sum(known.cpu_seconds for known in stats))
        memory = sum(known.rss_bytes for known in stats)
        if memory > self._limits.memory_mb * 2**20:
            memory = min(memory, sum(_proportional_bytes(pid) for pid in pids))
        return ProcessUsage(self._cpu_seconds, memory, sum(known.threads for known in stats))

    def oom_kills(self) -> int:
        """None: without a group nobody but the watchdog kills for memory."""
        return 0


def start_ticks_of(pid: int) -> int | None:
    """When a process began: together with its number this names it for ever. None where there is no such process."""
    known = _stat_of(pid)
    return known.start_ticks if known else None


def is_frozen(pid: int) -> bool:
    """Whether no thread of a process runs, or will before it is told to."""
    states = (_fields_of(line) for line in Path(f"/proc/{pid}/task").glob("*/stat"))
    return all(fields is None or fields[0] in _STILL for fields in states)


def unlinked_bytes(pids: Iterable[int]) -> Counter[int]:
    """The size, by file system, of files without a name that processes hold open: no folder shows them."""
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            entries = list(os.scandir(f"/proc/{pid}/fd"))
        except OSError:
            continue
        for entry in entries:
            try:
                facts = entry.stat()
            except OSError:
                continue
            if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 0:
                sizes[facts.st_dev, facts.st_ino] = facts.st_blocks * 512
    total: Counter[int] = Counter()
    for (device, _), size in sizes.items():
        total[device] += size
    return total


def _children_of(pid: int) -> list[int]:
    children: list[int] = []
    # Threads have children, not processes. Any of them can be gone by the time we look.
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            children.extend(map(int, listing.read_bytes().split()))
    return children


def _stat_of(pid: int) -> _Stat | None:
    fields = _fields_of(Path(f"/proc/{pid}/stat"))
    if fields is None:
        return None
    return _Stat(
        cpu_seconds=sum(map(int, fields[_UTIME : _CSTIME + 1])) / _TICKS_PER_SECOND,
        threads=int(fields[_THREADS]),
        rss_bytes=int(fields[_RSS]) * _PAGE_BYTES,
        start_ticks=int(fields[_START]),
    )


def _fields_of(stat: Path) -> list[bytes] | None:
    """What a line of the kernel's says of a process or thread, from its state on; None where it is gone."""
    try:
        line = stat.read_bytes()
    except OSError:
        return None
    return line[line.rindex(b")") + 2 :].split()


def _proportional_bytes(pid: int) -> int:
    """A process's memory with pages shared among n counted as 1/n: forked workers share most of theirs."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:
        known = _stat_of(pid)
        return known.rss_bytes if known else 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
