"""The archives on this machine, each fetched once and checked whenever it is used.

downloads/
  SHA256/NAME      an archive as it came
  SHA256.part      the beginning of one whose transfer broke off
"""

from pathlib import Path

from fmlbench.core.progress import Progress
from fmlbench.core.sources import NpmSource, PypiSource, UrlSource
from fmlbench.workspace.digests import sha256_of
from fmlbench.workspace.download import download, file_name
from fmlbench.workspace.files import exclusive, remove_folder, replace_folder, scratch_beside
from fmlbench.workspace.registries import fetch_from_npm, fetch_from_pypi
from fmlbench.workspace.source_failures import WrongChecksum

ArchiveSource = PypiSource | NpmSource | UrlSource


def archive_of(source: ArchiveSource, downloads: Path, progress: Progress) -> Path:
    """The archive a source names, from this machine or from afar; its checksum holds."""
    kept = downloads / source.sha256
    with exclusive(kept):
        archive = next(kept.glob("*"), None)
        if archive and sha256_of(archive) == source.sha256:
            return archive
        remove_folder(kept)
        with scratch_beside(kept) as scratch:
            arrived = _fetch(source, scratch, downloads / f"{source.sha256}.part", progress)
            found = sha256_of(arrived)
            if found != source.sha256:
                raise WrongChecksum(f"its checksum is {found}, not {source.sha256}")
            made = scratch / source.sha256
            made.mkdir()
            arrived.rename(made / arrived.name)
            replace_folder(made, kept)
        return kept / arrived.name


def _fetch(source: ArchiveSource, scratch: Path, part: Path, progress: Progress) -> Path:
    match source:
        case PypiSource():
            return fetch_from_pypi(source, scratch, part, progress)
        case NpmSource():
            return fetch_from_npm(source, scratch, progress)
        case UrlSource():
            download(source.url, part, source.sha256, progress)
            return part.rename(scratch / file_name(source.url))
