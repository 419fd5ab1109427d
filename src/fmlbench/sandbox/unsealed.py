"""The rung without a seal: a job in a folder of links, with limits but without walls.

It keeps honest code within bounds and cleans up after it. It hides nothing: a job can read what this user can read,
write where this user can write, use the network, and kill the process that keeps it. Runs on it say so.
"""

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fmlbench.core.run import Isolation
from fmlbench.sandbox import reaper
from fmlbench.sandbox.launcher import Launch, LauncherPipes
from fmlbench.sandbox.process_setup import (
    SCRATCH,
    check_targets,
    command_of,
    environment_of,
    passed_fds,
    working_folder_of,
)
from fmlbench.sandbox.protocol import Execution, Job
from fmlbench.sandbox.storage import Unmeasurable, measure
from fmlbench.sandbox.supervision import LaunchSpec, infra, supervise
from fmlbench.workspace.files import remove_folder


class Unsealed:
    """Runs each job as an ordinary process, in a cgroup of its own where this user may make one."""

    isolation = Isolation.NONE

    def __init__(self, *, use_cgroups: bool = True) -> None:
        self._use_cgroups = use_cgroups

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        check_targets(job)
        try:
            return self._run(job)
        except OSError as trouble:
            return infra(str(trouble))

    def _run(self, job: Job) -> Execution:
        with linked_root(job) as root:
            orders = {
                "command": command_of(job, str(root)),
                "environment": {**environment_of(job, str(root)), "TMPDIR": str(root / SCRATCH)},
            }
            launch = Launch(
                command=_command,
                orders=json.dumps(orders).encode(),
                environment={},
                working_folder=working_folder_of(job, str(root)),
                pass_fds=passed_fds(job),
            )
            return supervise(
                job,
                LaunchSpec(
                    launch,
                    in_namespace=False,
                    use_cgroup=self._use_cgroups,
                    scratch_bytes=lambda _: _scratch_bytes(root / SCRATCH),
                ),
            )


def _command(ends: LauncherPipes) -> list[str]:
    return [sys.executable, "-I", "-S", reaper.__file__, str(ends.orders), str(ends.status), str(ends.start)]


@contextmanager
def linked_root(job: Job) -> Generator[Path]:
    """A folder of links to the job's mounts, beside its log: where a killed harness left one, the next finds it."""
    root = job.log.absolute().with_name(f"{job.log.name}.root")
    remove_folder(root)
    root.mkdir()
    try:
        (root / SCRATCH).mkdir()
        for mount in job.mounts:
            link = root / mount.target
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(mount.source.absolute())
        yield root
    finally:
        remove_folder(root)


def _scratch_bytes(scratch: Path, most_files: int = 1_000_000) -> int:
    """How much lies in the scratch folder, with a block for each file, be it empty."""
    try:
        contents = measure([scratch], at_most_files=most_files)
    except Unmeasurable:
        return sys.maxsize
    return contents.bytes + contents.files * 4096
