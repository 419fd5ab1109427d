"""The protocol of sandboxes: run one job with its own root folder and report how it ended.

The job's mounts are below its root. In the sealed sandbox the root is ``/`` of a new mount namespace; in the unsealed
one it is a folder of symbolic links. Programs get the root as their last argument, so the same driver runs in both.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from fmlbench.core.run import Isolation
from fmlbench.core.task import Limits
from fmlbench.sandbox.freeze import Freezer
from fmlbench.sandbox.pipes import StartBarrier
from fmlbench.tasks.folder import ProgramFiles


@dataclass(frozen=True)
class Mount:
    """A file or folder of this machine that a job can access, at ``target`` below the job's root."""

    source: Path
    target: str
    writable: bool = False


def mounts_of(program: ProgramFiles, target: str) -> tuple[Mount, ...]:
    """Mounts of the files of a task's program at ``target``; they may come from several folders."""
    return tuple(Mount(path, f"{target}/{name}") for name, path in program.items())


@dataclass(frozen=True)
class TaskPython:
    """An interpreter with its packages; ``folders`` contain everything it needs to start."""

    executable: Path
    folders: tuple[Path, ...]
    """Mounted read-only at their original paths."""
    hidden: tuple[Path, ...] = ()
    """Subfolders that are masked as empty: packages of the machine's Python may contain a task's data."""


@dataclass(frozen=True)
class Job:
    """One process to run: ``python script ROOT``."""

    name: str
    """Unique on this machine while the job runs; starts with the run's id, so that leftovers can be found."""
    python: TaskPython
    script: str
    """The program's path below the root."""
    mounts: tuple[Mount, ...]
    limits: Limits
    log: Path
    """The file for the job's output, with a bounded size."""
    threads: int = 1
    arguments: tuple[str, ...] = ()
    """Passed before the root."""
    import_path: tuple[str, ...] = ()
    """Folders below the root for PYTHONPATH."""
    working_folder: str = "scratch"
    """Below the root; ``scratch`` is an empty writable folder that is deleted after the job."""
    devices: tuple[str, ...] = ()
    pass_fds: tuple[int, ...] = ()
    isolated: bool = False
    """Start Python with -I: no current folder, no user site, no environment variables."""
    stop: threading.Event | None = None
    """Another thread sets it to end the job; the exit kind is then ``INFRA``, not a failure of the job."""
    locks: bool = False
    """Whether file locks work. If False, lock calls report success but lock nothing."""
    freezer: Freezer | None = None
    """Lets another thread freeze the job."""
    barrier: StartBarrier | None = None
    """The job waits here after its imports until another thread opens it; the descriptor is the last argument."""


class ExitKind(StrEnum):
    """How a job ended."""

    OK = "ok"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out-of-memory"
    TOO_MUCH_DISK = "too-much-disk"
    INFRA = "infra"
    """The job could not be started, or the sandbox was killed from outside."""


@dataclass(frozen=True)
class ExitReason:
    """How a job ended, and a one-line reason."""

    ending: ExitKind
    reason: str


@dataclass(frozen=True)
class Execution:
    """The result of a job and its resource usage."""

    ending: ExitKind
    reason: str
    exit_code: int | None
    """None if the job did not exit by itself."""
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float
    log_tail: str
    """The last few thousand characters of its output, as text."""


RunJob = Callable[[Job], Execution]
"""Runs a job to its end: ``Sandbox.run``, or ``StagePipeline.run`` for jobs that were started ahead."""


class Sandbox(Protocol):
    """Runs jobs in separation from each other, and leaves no processes or files behind."""

    @property
    def isolation(self) -> Isolation:
        """The isolation level."""
        ...

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        ...
