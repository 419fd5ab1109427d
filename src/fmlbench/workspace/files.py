"""Create folders atomically, even if several processes create the same one, and explain disk errors."""

import errno
import fcntl
import itertools
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.core.errors import InfraTrouble

_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR}


@contextmanager
def exclusive(path: Path) -> Generator[None]:
    """Let one process at a time create ``path``; the others wait and then find it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        _remove_leftovers(path)
        yield
    finally:
        os.close(file)


def _remove_leftovers(path: Path) -> None:
    """Remove the scratch folders of killed processes; the holder of the lock has not created one yet."""
    scratch = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")
    for sibling in path.parent.iterdir():
        if scratch.fullmatch(sibling.name):
            remove_folder(sibling)


@contextmanager
def scratch_beside(path: Path) -> Generator[Path]:
    """A temporary folder on the same file system as ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield scratch
    finally:
        remove_folder(scratch)


def replace_folder(new: Path, path: Path) -> None:
    """Rename ``new`` to ``path`` atomically."""
    new.rename(path)


def remove_folder(path: Path) -> None:
    """Remove a folder, even without permissions or nested deeper than the recursion limit."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        _take_apart(path)


def _take_apart(path: Path) -> None:
    """Empty a folder by moving nested folders to its top level, so that paths stay short."""
    path.chmod(0o700)
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fresh_names = (f"{secrets.token_hex(8)}.{number}" for number in itertools.count())
        while folders := _clear_files(top):
            for name in folders:
                child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
                for nested in _clear_files(child):
                    os.rename(nested, next(fresh_names), src_dir_fd=child, dst_dir_fd=top)
                os.close(child)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


def _clear_files(folder: int) -> list[str]:
    """Remove everything except folders; return the folders, with permissions restored."""
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if is_folder:
            os.chmod(name, 0o700, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]


def explain_disk_error(error: OSError, folder: Path | None = None) -> InfraTrouble | None:
    """The message and hint for a full disk or a missing permission; None for other errors."""
    if error.errno in _FULL:
        return InfraTrouble(
            f"The disk is full{_quoted(folder or error.filename)}.",
            hint="Free some space or choose another folder.",
        )
    if error.errno in _FORBIDDEN:
        of_folder = f" of '{folder}'" if folder else ""
        return InfraTrouble(
            f"{error.strerror}{_quoted(error.filename or folder)}.",
            hint=f"Check the permissions{of_folder}, or choose another folder (see fmlbench doctor).",
        )
    return None


@contextmanager
def disk_trouble_explained(folder: Path) -> Generator[None]:
    """Turn a full disk or a missing permission below ``folder`` into an InfraTrouble with a hint."""
    try:
        yield
    except OSError as error:
        explained = explain_disk_error(error, folder)
        if explained is None:
            raise
        raise explained from error


def _quoted(place: Path | str | None) -> str:
    return f": '{place}'" if place else ""
