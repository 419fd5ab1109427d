"""A program of a task (driver, grader or dataset builder) with its files."""

from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = frozenset({".git", "__pycache__"})
"""Folders that tools create in a working copy; always ignored."""


@dataclass(frozen=True)
class Part:
    """A folder of the task, or a track's folder whose files override the task's."""

    folders: tuple[Path, ...]
    """Files of earlier folders override those with the same name in later ones."""
    shared: tuple[Path, ...] = ()
    """Additional files of the suite."""

    @property
    def is_one_folder(self) -> bool:
        """Whether it can be mounted as a single folder."""
        return len(self.folders) == 1 and not self.shared

    def __truediv__(self, name: str) -> Path:
        return self.files()[name]

    def files(self) -> dict[str, Path]:
        """The path of each file, by its path within the part."""
        found = {path.name: path for path in self.shared}
        for folder in reversed(self.folders):
            inside = ((path.relative_to(folder), path) for path in folder.rglob("*") if path.is_file())
            found |= {name.as_posix(): path for name, path in inside if LEFT_OUT.isdisjoint(name.parts)}
        return found
