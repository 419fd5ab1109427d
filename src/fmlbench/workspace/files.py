"""Make files and folders appear whole or not at all, also when several processes make the same one."""

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


@contextmanager
def exclusive(path: Path) -> Generator[None]:
    """Let one process at a time make ``path``; the others wait and then find it made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        _remove_leftovers(path)
        yield
    finally:
        os.close(file)


def _remove_leftovers(path: Path) -> None:
    """Remove the scratch folders of makers that were killed: whoever holds the lock has made none yet."""
    scratch = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}")
    for beside in path.parent.iterdir():
        if scratch.fullmatch(beside.name):
            remove_folder(beside)


@contextmanager
def scratch_beside(path: Path) -> Generator[Path]:
    """A folder on the same file system as ``path``, gone afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield scratch
    finally:
        remove_folder(scratch)


def replace_folder(made: Path, path: Path) -> None:
    """Let ``made`` become ``path`` in one step."""
    made.rename(path)


def remove_folder(path: Path) -> None:
    """Remove a folder, whatever somebody made of it: locked, or nested deeper than recursion goes."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        _take_apart(path)


def _take_apart(path: Path) -> None:
    """Empty a folder by moving what is nested in its folders up beside them, so that no path ever gets long."""
    path.chmod(0o700)
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fresh_names = (f"{secrets.token_hex(8)}.{number}" for number in itertools.count())
        while folders := _clear_files(top):
            for name in folders:
                below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
                for nested in _clear_files(below):
                    os.rename(nested, next(fresh_names), src_dir_fd=below, dst_dir_fd=top)
                os.close(below)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


def _clear_files(folder: int) -> list[str]:
    """Remove all that is not a folder; return the folders, unlocked."""
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if is_folder:
            os.chmod(name, 0o700, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in entries if is_folder]
