"""Unpack archives without trusting them.

Only regular files are written, each at a checked path, without links, devices, permissions or owners. So an archive
cannot write outside its folder.
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

from fmlbench.workspace.downloads import SourceFailed

MAX_BYTES = 64 << 30
"""More than any data set of a task; protects against decompression bombs."""

_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_ZIP_ENDINGS = (".zip", ".whl")
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    KeyError,  # a hard link to a file that is not in the archive
)


@dataclass(frozen=True)
class _Entry:
    name: str
    content: IO[bytes]


def is_archive(name: str) -> bool:
    """Whether a file with that name is unpacked; a single compressed file is not."""
    return name.lower().endswith(_TAR_ENDINGS + _ZIP_ENDINGS)


def unpack(archive: Path, folder: Path, *, max_bytes: int = MAX_BYTES) -> Path:
    """Unpack an archive and return the folder of its files.

    If a single folder contains everything, as in source releases and npm packages, that folder is returned.
    """
    try:
        entries = _zip_entries(archive) if archive.name.lower().endswith(_ZIP_ENDINGS) else _tar_entries(archive)
        for entry in entries:
            max_bytes -= _write(entry, folder, max_bytes)
    except _DAMAGE as error:
        raise SourceFailed(f"{archive.name} is damaged: {error}") from error
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def safe_path(name: str) -> PurePosixPath:
    """The path of a file in an archive; raises if it leads out of the target folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise SourceFailed(f"it contains the path {name!r}, which leads out of its folder")
    return path


def _tar_entries(archive: Path) -> Iterator[_Entry]:
    with tarfile.open(archive) as tar:
        for member in tar:
            # The content of a hard link comes from another file of the archive.
            if (member.isreg() or member.islnk()) and (content := tar.extractfile(member)):
                with content:
                    yield _Entry(member.name, content)


def _zip_entries(archive: Path) -> Iterator[_Entry]:
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            if not member.is_dir() and not stat.S_ISLNK(member.external_attr >> 16):
                with packed.open(member) as content:
                    yield _Entry(member.filename, content)


def _write(entry: _Entry, folder: Path, max_bytes: int) -> int:
    target = folder / safe_path(entry.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        while chunk := entry.content.read(1 << 20):
            file.write(chunk)
            if file.tell() > max_bytes:
                raise SourceFailed("the unpacked archive is too large")
        return file.tell()
