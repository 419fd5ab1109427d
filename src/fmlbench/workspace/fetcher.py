"""Fetch the files of one source; archives come from the cache of downloads.

downloads/
  SHA256/NAME      an unchanged archive; its checksum is verified at every use
  SHA256.part      the beginning of an interrupted download
"""

import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fmlbench.core.progress import Progress
from fmlbench.core.sources import GitSource, NpmSource, PathSource, PypiSource, Source, UrlSource
from fmlbench.workspace.archives import is_archive, unpack
from fmlbench.workspace.digests import sha256_of
from fmlbench.workspace.downloads import SourceFailed, WrongChecksum, download, file_name
from fmlbench.workspace.files import exclusive, remove_folder, replace_folder, scratch_beside
from fmlbench.workspace.git import fetch_commit
from fmlbench.workspace.registries import fetch_from_npm, fetch_from_pypi

ArchiveSource = PypiSource | NpmSource | UrlSource


def archive_of(source: ArchiveSource, downloads: Path, progress: Progress) -> Path:
    """The archive of a source, from the cache or downloaded, with a verified checksum."""
    kept = downloads / source.sha256
    with exclusive(kept):
        archive = next(kept.glob("*"), None)
        if archive and sha256_of(archive) == source.sha256:
            return archive
        remove_folder(kept)
        with scratch_beside(kept) as scratch:
            fetched = _fetch(source, scratch, downloads / f"{source.sha256}.part", progress)
            found = sha256_of(fetched)
            if found != source.sha256:
                raise WrongChecksum(f"its checksum is {found}, not {source.sha256}")
            folder = scratch / source.sha256
            folder.mkdir()
            fetched.rename(folder / fetched.name)
            replace_folder(folder, kept)
        return kept / fetched.name


def _fetch(source: ArchiveSource, scratch: Path, part: Path, progress: Progress) -> Path:
    match source:
        case PypiSource():
            return fetch_from_pypi(source, scratch, part, progress)
        case NpmSource():
            return fetch_from_npm(source, scratch, progress)
        case UrlSource():
            download(source.url, part, source.sha256, progress)
            return part.rename(scratch / file_name(source.url))


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
