"""Find what a candidate left on the machine, by the name of its run, so that other programs do not interfere."""

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fmlbench.sandbox.cgroups import groups_of

_SHARED_FOLDERS = (tempfile.gettempdir(), "/dev/shm", "/var/tmp", "/run")  # noqa: S108 - only searched


def find_leftovers(run: Path, mark: str, folders: Iterable[Path]) -> list[str]:
    """Processes, control groups, mounts and files outside the run's folder whose name contains the run's."""
    return [
        *(f"process {pid}" for pid in processes_of(run)),
        *(f"control group {name}" for name in groups_of(run.name)),
        *(f"mount {place}" for place in _mounts_of("self", run)),
        *(f"file {path}" for path in _files_named(mark, (*map(Path, _SHARED_FOLDERS), *folders))),
        *(f"file {path}" for path in sorted(run.glob("experiments/*/*"))),
    ]


def processes_of(run: Path) -> list[int]:
    """Processes other than ours that have a run's folder mounted, or its name in their command line."""
    name = os.fsencode(run.name)
    found: list[int] = []
    for entry in (path.name for path in Path("/proc").iterdir()):
        if entry.isdigit() and int(entry) != os.getpid():
            has_mounts = bool(_mounts_of(entry, run))
            if has_mounts or name in _read(f"/proc/{entry}/cmdline"):
                found.append(int(entry))
    return found


def _mounts_of(pid: str, run: Path) -> list[str]:
    """Mount points of a run's folder in the mount namespace of a process."""
    lines = _read(f"/proc/{pid}/mountinfo").decode("utf-8", "replace").splitlines()
    # The fourth field is the mounted part of the file system, the fifth the mount point.
    return [line.split()[4] for line in lines if f"/{run.name}/" in line.split()[3]]


def _files_named(mark: str, folders: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for folder in folders:
        try:
            found += [path for path in folder.iterdir() if mark in path.name]
        except OSError:
            continue
    return found


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


@dataclass(frozen=True)
class Guarded:
    """Folders that no candidate may change, and a record of their files."""

    folders: tuple[Path, ...]
    files: frozenset[tuple[str, int, int]]

    def changes(self) -> list[str]:
        """Files that have changed since."""
        return sorted({f"changed {path}" for path, _, _ in self.files ^ _files_of(self.folders)})


def guard(*folders: Path) -> Guarded:
    """Record the files of folders."""
    return Guarded(folders, _files_of(folders))


def _files_of(folders: Iterable[Path]) -> frozenset[tuple[str, int, int]]:
    """Every file and folder with its size and modification time."""
    paths = (path for folder in folders for path in (folder, *folder.rglob("*")) if "__pycache__" not in path.parts)
    return frozenset((str(path), facts.st_size, facts.st_mtime_ns) for path in paths for facts in [path.lstat()])
