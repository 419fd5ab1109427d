"""Make and run small jobs in a test, and look for what they left behind."""

import os
import pickle
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fmlbench.core.task import Limits
from fmlbench.sandbox.cgroups import groups_of
from fmlbench.sandbox.protocol import Job, Mount, Sandbox, TaskPython

WALL_SECONDS = 120.0
"""Far above what any job here needs: a busy machine must not fail a test."""
_DEADLINE_SECONDS = 60.0


class Workshop:
    """A folder with all that a job needs: ``task/driver.py``, and ``out`` to write to."""

    def __init__(self, folder: Path, python: TaskPython) -> None:
        self.folder = folder
        self.python = python
        self.out = folder / "out"
        self.log = folder / "log.txt"
        self.out.mkdir(parents=True)
        (folder / "task").mkdir()

    def job(
        self,
        code: str,
        *,
        limits: Mapping[str, float] | None = None,
        mounts: tuple[Mount, ...] = (),
        **changes: Any,  # any other field of a job
    ) -> Job:
        """A job that runs ``code``; its name is also its first argument, so that its processes can be found."""
        (self.folder / "task" / "driver.py").write_text(textwrap.dedent(code), "utf-8")
        name = f"workshop-{uuid.uuid4().hex}"
        usual = {"cpu_seconds": 60.0, "wall_seconds": WALL_SECONDS, "memory_mb": 512}
        job = Job(
            name=name,
            python=self.python,
            script="task/driver.py",
            mounts=(Mount(self.folder / "task", "task"), Mount(self.out, "out", writable=True), *mounts),
            limits=Limits.model_validate({**usual, **(limits or {})}),
            log=self.log,
            arguments=(name,),
        )
        return replace(job, **changes)


def start_harness(code: str, sandbox: Sandbox, job: Job) -> "subprocess.Popen[bytes]":
    """Another process, which finds the sandbox and the job pickled on its standard input."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    harness = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert harness.stdin
    harness.stdin.write(pickle.dumps((sandbox, job)))
    harness.stdin.close()
    return harness


def leftovers_of(job: Job) -> list[str]:
    """The processes and control groups of a job that are still there."""
    return [*(f"process {pid}" for pid in processes_of(job)), *groups_of(job.name)]


def processes_of(job: Job) -> list[int]:
    """The processes that have the job's name on their command line; a zombie has none."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if job.name.encode() in words and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Wait for something to become true; False if it did not in a very long time."""
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
