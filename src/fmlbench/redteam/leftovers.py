"""What a candidate left on the machine, found by the name of its run and never by counting what others do too."""

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fmlbench.sandbox.cgroups import groups_of

_SHARED_FOLDERS = (tempfile.gettempdir(), "/dev/shm", "/var/tmp", "/run")  # noqa: S108 - looked into, not used


def find_leftovers(run: Path, mark: str, folders: Iterable[Path]) -> list[str]:
    """Processes, control groups, mounts and files that carry a run's name, besides what belongs in its folder."""
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
    """Where parts of a run's folder are mounted in the eyes of a process."""
    lines = _read(f"/proc/{pid}/mountinfo").decode("utf-8", "replace").splitlines()
    # The fourth field is what of a file system is mounted, the fifth where.
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
    """Folders that no candidate may change, and what they looked like."""

    folders: tuple[Path, ...]
    looks: frozenset[tuple[str, int, int]]

    def changes(self) -> list[str]:
        """What is different now."""
        return sorted({f"changed {path}" for path, _, _ in self.looks ^ _looks_of(self.folders)})


def guard(*folders: Path) -> Guarded:
    """Remember what folders look like."""
    return Guarded(folders, _looks_of(folders))


def _looks_of(folders: Iterable[Path]) -> frozenset[tuple[str, int, int]]:
    """Every file with its size and the time of its last change; folders, too, since a new file changes them."""
    paths = (path for folder in folders for path in (folder, *folder.rglob("*")) if "__pycache__" not in path.parts)
    return frozenset((str(path), facts.st_size, facts.st_mtime_ns) for path in paths for facts in [path.lstat()])
