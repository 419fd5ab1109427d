"""Measure a job's storage: its writable folders, its scratch space, and deleted files that it holds open."""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.task import Limits
from fmlbench.sandbox.processes import unlinked_bytes
from fmlbench.sandbox.protocol import ExitKind, ExitReason

_MAX_DEPTH = 64
_LONGEST_PATH = 1024
"""In bytes, below the folder; the kernel rejects complete paths of more than 4096 bytes."""
_LOCKED = "removed the permissions of a folder, so that it cannot be measured"


class Unmeasurable(Exception):
    """A folder's permissions, depth or path length prevent measuring it."""


@dataclass(frozen=True)
class Contents:
    """The size of a folder's contents."""

    bytes: int
    files: int
    """Number of files and folders."""


def measure(folders: Iterable[Path], *, at_most_files: int) -> Contents:
    """Measure folders without following links; stop soon after ``at_most_files``."""
    size = files = 0
    for folder in folders:
        if not folder.is_dir():
            size += folder.stat().st_size
            continue
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except PermissionError:
            raise Unmeasurable(_LOCKED) from None
        found = _measure_open(handle, at_most_files - files, _MAX_DEPTH, _LONGEST_PATH)
        size, files = size + found.bytes, files + found.files
    return Contents(size, files)


def stored_bytes(folder: Path) -> int:
    """All bytes in which a folder can store information: files, names, link targets and extended attributes."""
    inside = [Path(place) / name for place, folders, files in os.walk(folder) for name in (*folders, *files)]
    return _attributes_of(folder) + sum(_entry_bytes(path) for path in inside)


def _entry_bytes(path: Path) -> int:
    facts = path.lstat()
    content = 0 if stat.S_ISDIR(facts.st_mode) else facts.st_size
    return content + len(os.fsencode(path.name)) + _attributes_of(path)


def _attributes_of(path: Path) -> int:
    try:
        names = os.listxattr(path, follow_symlinks=False)
        values = [os.getxattr(path, name, follow_symlinks=False) for name in names]
    except OSError:
        return 0
    return sum(len(os.fsencode(name)) + len(value) for name, value in zip(names, values, strict=True))


def _measure_open(handle: int, at_most_files: int, depth: int, room: int) -> Contents:
    """Measure an open folder and close it; uses descriptors, because the job can rename folders meanwhile."""
    size = files = 0
    try:
        if depth == 0:
            raise Unmeasurable(f"nested folders more than {_MAX_DEPTH} deep")
        with os.scandir(handle) as entries:
            for entry in entries:
                if files > at_most_files:
                    break
                files += 1
                room_inside = room - len(os.fsencode(entry.name)) - 1
                if room_inside < 0:
                    raise Unmeasurable(f"created a path of more than {_LONGEST_PATH} characters")
                inner = _open_folder(entry, handle)
                if inner is not None:
                    found = _measure_open(inner, at_most_files - files, depth - 1, room_inside)
                    size, files = size + found.bytes, files + found.files
                else:
                    size += _size_of(entry)
    finally:
        os.close(handle)
    return Contents(size, files)


def _open_folder(entry: os.DirEntry[str], parent: int) -> int | None:
    if not entry.is_dir(follow_symlinks=False):
        return None
    try:
        return os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except PermissionError:
        raise Unmeasurable(_LOCKED) from None
    except OSError:
        return None


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        return 0
    # A sparse file counts in full, because a copy would have that size; st_blocks lags under delayed allocation.
    return max(facts.st_size, facts.st_blocks * 512) if stat.S_ISREG(facts.st_mode) else 0


class Storage:
    """Checks a job's storage against its limits."""

    def __init__(self, writable: Sequence[Path], scratch_bytes: Callable[[], int], limits: Limits) -> None:
        self._writable = tuple(writable)
        self._devices = {path.stat().st_dev for path in writable}
        self._scratch_bytes = scratch_bytes
        self._limits = limits

    def check(self, pids: Iterable[int] = ()) -> ExitReason | None:
        """The exceeded limit, or None; with ``pids``, deleted files that these processes hold open count too."""
        limits = self._limits
        try:
            contents = measure(self._writable, at_most_files=limits.files)
        except Unmeasurable as error:
            return ExitReason(ExitKind.TOO_MUCH_DISK, str(error))
        if contents.files > limits.files:
            return ExitReason(ExitKind.TOO_MUCH_DISK, f"left more than {limits.files} files")
        unlinked = unlinked_bytes(pids)
        on_disk = sum(size for device, size in unlinked.items() if device in self._devices)
        if contents.bytes + on_disk > limits.disk_mb * 2**20:
            return ExitReason(ExitKind.TOO_MUCH_DISK, f"left more than {limits.disk_mb} MB in its writable folders")
        if self._scratch_bytes() > limits.scratch_mb * 2**20:
            return ExitReason(ExitKind.TOO_MUCH_DISK, f"used more than {limits.scratch_mb} MB of scratch space")
        # Whatever exceeds the scratch space must be in memory-only files (memfd).
        if unlinked.total() - on_disk > (limits.scratch_mb + limits.memory_mb) * 2**20:
            return ExitReason(ExitKind.OUT_OF_MEMORY, f"used more than {limits.memory_mb} MB of memory")
        return None
