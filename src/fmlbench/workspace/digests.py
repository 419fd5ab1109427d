"""Hashes of files and folders."""

import hashlib
import os
from pathlib import Path

from fmlbench.tasks.folder import LEFT_OUT


def files_in(folder: Path) -> list[Path]:
    """Every file below a folder, sorted by path."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        found += (path for name in names if (path := Path(place, name)).is_file())
    return sorted(found, key=lambda path: path.as_posix())


def digest_of(path: Path) -> str:
    """The hash of a file and its name, or of all files below a folder and their paths."""
    root, files = (path, files_in(path)) if path.is_dir() else (path.parent, [path])
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(root).as_posix().encode("utf-8", "surrogateescape") + b"\0")
        digest.update(bytes.fromhex(sha256_of(file)))
    return digest.hexdigest()


def sha256_of(file: Path) -> str:
    """The hash of a file's content."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
