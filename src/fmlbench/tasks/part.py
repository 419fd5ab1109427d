"""One of a task's programs, with the files that lie beside it."""

from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = frozenset({".git", "__pycache__"})
"""Folders that tools leave in a working copy; never part of anything."""


@dataclass(frozen=True)
class Part:
    """A folder of the task's, or a track's own laid over it: what the track does not have is the task's."""

    folders: tuple[Path, ...]
    """A file of an earlier folder is meant rather than its namesake in a later one."""
    shared: tuple[Path, ...] = ()
    """Files of the suite that are laid beside those of the folders."""

    @property
    def is_one_folder(self) -> bool:
        """Whether it can be mounted as it is."""
        return len(self.folders) == 1 and not self.shared

    def __truediv__(self, name: str) -> Path:
        return self.files()[name]

    def files(self) -> dict[str, Path]:
        """Where each file is, by its path within the part."""
        found = {path.name: path for path in self.shared}
        for folder in reversed(self.folders):
            inside = ((path.relative_to(folder), path) for path in folder.rglob("*") if path.is_file())
            found |= {name.as_posix(): path for name, path in inside if LEFT_OUT.isdisjoint(name.parts)}
        return found
