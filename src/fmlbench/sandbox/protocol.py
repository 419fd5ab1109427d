"""What a sandbox is: it runs one job in a world of its own and tells how it ended.

A job's world is a root folder with the job's mounts below it. Sealed, that root is ``/`` of a fresh mount
namespace; unsealed, it is a folder of links. Programs find everything through the root they are given as their
last argument, so the same driver runs in both.
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
from fmlbench.sandbox.start_barrier import StartBarrier
from fmlbench.tasks.part import Part


@dataclass(frozen=True)
class Mount:
    """A file or folder of this machine that a job may see, at ``target`` below the job's root."""

    source: Path
    target: str
    writable: bool = False


def mounts_of(part: Part, target: str) -> tuple[Mount, ...]:
    """A part of a task at ``target``: as a folder, or file by file where it is made of several."""
    if part.is_one_folder:
        return (Mount(part.folders[0], target),)
    return tuple(Mount(path, f"{target}/{name}") for name, path in part.files().items())


@dataclass(frozen=True)
class TaskPython:
    """An interpreter with its packages; everything it needs to start lies in ``folders``."""

    executable: Path
    folders: tuple[Path, ...]
    """Mounted read-only at their own paths."""
    hidden: tuple[Path, ...] = ()
    """Folders within those that must look empty: packages of the machine's own Python may hold a task's data."""


@dataclass(frozen=True)
class Job:
    """One process to run: ``python script ROOT``."""

    name: str
    """Unique on this machine while the job runs; starts with the run's id, so that leftovers can be counted."""
    python: TaskPython
    script: str
    """The program's path below the root."""
    mounts: tuple[Mount, ...]
    limits: Limits
    log: Path
    """Where the job's output is kept, capped."""
    threads: int = 1
    arguments: tuple[str, ...] = ()
    """Passed before the root."""
    import_path: tuple[str, ...] = ()
    """Folders below the root that Python imports from."""
    working_folder: str = "scratch"
    """Below the root; ``scratch`` is an empty writable folder that every job has and that is gone afterwards."""
    devices: tuple[str, ...] = ()
    pass_fds: tuple[int, ...] = ()
    isolated: bool = False
    """Start Python with -I: no current folder, no user site, no environment."""
    stop: threading.Event | None = None
    """Set by another thread that wants the job ended; it is then nobody's failure."""
    locks: bool = False
    """Whether it can lock files; where it cannot, it is told that it did."""
    freezer: Freezer | None = None
    """By which another thread can make it stand still for a while."""
    gate: StartBarrier | None = None
    """What the job waits at, ready to work, until another thread opens it; its number is the last of the arguments."""


class ExitKind(StrEnum):
    """How a job ended."""

    OK = "ok"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out-of-memory"
    TOO_MUCH_DISK = "too-much-disk"
    INFRA = "infra"
    """The job could not be started, or the sandbox itself was killed by somebody else."""


@dataclass(frozen=True)
class ExitReason:
    """How a job ended and why, in one line."""

    ending: ExitKind
    reason: str


@dataclass(frozen=True)
class Execution:
    """What a job did and used."""

    ending: ExitKind
    reason: str
    exit_code: int | None
    """None where the job did not end by itself."""
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float
    log_tail: str
    """The last few thousand characters of its output, as text."""


RunJob = Callable[[Job], Execution]
"""Runs a job to its end: a sandbox does, or somebody who has let the job get ready in one."""


class Sandbox(Protocol):
    """Something that runs jobs, each in a world of its own, and leaves nothing behind."""

    @property
    def isolation(self) -> Isolation:
        """How well jobs are held."""
        ...

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        ...
