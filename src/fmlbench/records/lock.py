"""One writer per run: a lock that the kernel releases when its holder dies, and a lease for other machines."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.core.errors import RunLocked
from fmlbench.records.lease import leased


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a run's lock and lease; raises RunLocked with the current holder."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(file, 64, 0).decode("ascii", "replace").strip() or "unknown"
            raise RunLocked(
                f"Another process (PID {holder}) is executing this run.",
                hint="Watch it with 'fmlbench show', or stop that process first.",
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        with leased(path.parent):
            yield
    finally:
        os.close(file)
