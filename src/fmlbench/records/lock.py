"""One writer per run: a lock that dies with its holder, however the holder dies."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.core.errors import RunLocked


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a run's lock, or say who holds it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(file, 64, 0).decode("ascii", "replace").strip() or "unknown"
            raise RunLocked(
                f"Another process (id {holder}) is playing this run.",
                hint="Watch it with 'fmlbench show', or stop that process first.",
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)
