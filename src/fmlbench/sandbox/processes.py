"""Read the resource usage of a process and its descendants from /proc."""

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

# Field positions in /proc/PID/stat, counted from the state, which follows the name in parentheses.
_UTIME, _CSTIME, _THREADS, _RSS = 11, 14, 17, 21
_FROZEN_STATES = (b"T", b"t", b"Z", b"X", b"D")
"""Stopped, traced, dead, or in uninterruptible sleep, after which a pending SIGSTOP stops the process."""


@dataclass(frozen=True)
class ProcessUsage:
    """Resource usage of a job's processes at one moment."""

    cpu_seconds: float
    memory_bytes: int
    processes: int
    """Number of live processes and threads."""


class UsageMeter(Protocol):
    """Measures the resource usage of a job."""

    def pids(self) -> list[int]:
        """The job's processes."""
        ...

    def usage(self) -> ProcessUsage:
        """Their current resource usage."""
        ...

    def oom_kills(self) -> int:
        """How many of them the kernel's OOM killer has killed."""
        ...


@dataclass(frozen=True)
class _Stat:
    cpu_seconds: float
    """Including the children that it has waited for."""
    threads: int
    rss_bytes: int


class ProcessTree:
    """Measures the descendants of a process without special privileges.

    The root belongs to the sandbox: only its CPU seconds count, including those of children it has waited for. It is
    less exact than a cgroup: CPU seconds of a child are lost if its parent ignores SIGCHLD, and memory that is mapped
    in no process is not counted.
    """

    def __init__(self, root: int, limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._cpu_seconds = 0.0

    def pids(self) -> list[int]:
        """The descendants without the root, cut off at twice the limit: a fork bomb forks faster than we count."""
        found = _children_of(self._root)
        for pid in found:
            if len(found) > self._limits.processes:
                break
            found.extend(_children_of(pid))
        return found[: 2 * self._limits.processes]

    def usage(self) -> ProcessUsage:
        """Sum over the tree; proportional memory is slow to read, so only if the RSS sum exceeds the limit."""
        pids = self.pids()
        stats = [known for known in map(_stat_of, pids) if known]
        # A process can end between two measurements; its CPU time still counts, so the sum never decreases.
        root = _stat_of(self._root)
        ended_seconds = root.cpu_seconds if root else 0.0
        self._cpu_seconds = max(self._cpu_seconds, ended_seconds + sum(known.cpu_seconds for known in stats))
        memory = sum(known.rss_bytes for known in stats)
        if memory > self._limits.memory_mb * 2**20:
            memory = min(memory, sum(_proportional_bytes(pid) for pid in pids))
        return ProcessUsage(self._cpu_seconds, memory, sum(known.threads for known in stats))

    def oom_kills(self) -> int:
        """Always 0: without a cgroup only the watchdog kills for memory."""
        return 0


def is_frozen(pid: int) -> bool:
    """Whether all threads of a process are stopped until SIGCONT."""
    states = (_fields_of(line) for line in Path(f"/proc/{pid}/task").glob("*/stat"))
    return all(fields is None or fields[0] in _FROZEN_STATES for fields in states)


def unlinked_bytes(pids: Iterable[int]) -> Counter[int]:
    """The size, by file system, of deleted files that processes hold open; no folder lists them."""
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
    # Children are listed per thread. Any thread can end before its list is read.
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
    )


def _fields_of(stat: Path) -> list[bytes] | None:
    """The fields of a stat file, from the state on; None if the process or thread has ended."""
    try:
        line = stat.read_bytes()
    except OSError:
        return None
    return line[line.rindex(b")") + 2 :].split()


def _proportional_bytes(pid: int) -> int:
    """A process's memory with pages shared by n processes counted as 1/n (PSS): forked workers share most pages."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:
        known = _stat_of(pid)
        return known.rss_bytes if known else 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
