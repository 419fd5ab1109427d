"""Make files and folders appear whole or not at all, also when several processes make the same one."""

import fcntl
import os
import re
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
    """Remove a folder, also where somebody took the right to write in it away."""
    if not path.exists():
        return
    for folder, _, _ in os.walk(path):
        Path(folder).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)
