"""Unpack archives without trusting them.

Only plain files are written, each by our own hand at a path that was looked at: no links, no devices, no rights, no
owners. So an archive can neither reach outside its folder nor leave anything there that would.
"""

import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from fmlbench.workspace.source_failures import SourceFailed

MOST_BYTES = 64 << 30
"""Beyond any data set a task uses; a small archive that swells further is no data set."""

_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_ZIP_ENDINGS = (".zip", ".whl")
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    KeyError,  # a hard link to something that the archive does not hold
)


@dataclass(frozen=True)
class _Entry:
    name: str
    content: IO[bytes]


def is_archive(name: str) -> bool:
    """Whether a file of that name is unpacked; a lone compressed file is not."""
    return name.lower().endswith(_TAR_ENDINGS + _ZIP_ENDINGS)


def unpack(archive: Path, folder: Path, *, most_bytes: int = MOST_BYTES) -> Path:
    """Unpack an archive into a folder and return where its files begin.

    A single folder around everything, as source releases and npm packages have it, is left out.
    """
    try:
        entries = _zip_entries(archive) if archive.name.lower().endswith(_ZIP_ENDINGS) else _tar_entries(archive)
        for entry in entries:
            most_bytes -= _write(entry, folder, most_bytes)
    except _DAMAGE as error:
        raise SourceFailed(f"{archive.name} is damaged: {error}") from error
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def safe_path(name: str) -> PurePosixPath:
    """The path an archive gives a file, if it stays below the folder it is unpacked into."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise SourceFailed(f"it holds the path {name!r}, which leads out of its folder")
    return path


def _tar_entries(archive: Path) -> Iterator[_Entry]:
    with tarfile.open(archive) as tar:
        for member in tar:
            # A hard link is a file under a second name, and its content comes from within the archive.
            if (member.isreg() or member.islnk()) and (content := tar.extractfile(member)):
                with content:
                    yield _Entry(member.name, content)


def _zip_entries(archive: Path) -> Iterator[_Entry]:
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            if not member.is_dir() and not stat.S_ISLNK(member.external_attr >> 16):
                with packed.open(member) as content:
                    yield _Entry(member.filename, content)


def _write(entry: _Entry, folder: Path, most_bytes: int) -> int:
    target = folder / safe_path(entry.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        while chunk := entry.content.read(1 << 20):
            file.write(chunk)
            if file.tell() > most_bytes:
                raise SourceFailed("the archive swells beyond all measure")
        return file.tell()
