"""The unsealed isolation level: a job in a folder of symbolic links, with resource limits but without isolation.

It enforces limits on honest code and cleans up after it. A job can read and write everything that this user can, use
the network, and kill its launcher. Runs at this level are marked as unsealed.
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
    """Runs each job as an ordinary process, in a separate cgroup if this user may create one."""

    isolation = Isolation.NONE

    def __init__(self, *, use_cgroups: bool = True) -> None:
        self._use_cgroups = use_cgroups

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        check_targets(job)
        try:
            return self._run(job)
        except OSError as error:
            return infra(str(error))

    def _run(self, job: Job) -> Execution:
        with linked_root(job) as root:
            config = {
                "command": command_of(job, str(root)),
                "environment": {**environment_of(job, str(root)), "TMPDIR": str(root / SCRATCH)},
            }
            launch = Launch(
                command=_command,
                config=json.dumps(config).encode(),
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
    return [sys.executable, "-I", "-S", reaper.__file__, str(ends.config), str(ends.status), str(ends.start)]


@contextmanager
def linked_root(job: Job) -> Generator[Path]:
    """A folder of links to the job's mounts, next to its log; one that a killed harness left is replaced."""
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
    """The size of the scratch folder, plus one block for each file, even an empty one."""
    try:
        contents = measure([scratch], at_most_files=most_files)
    except Unmeasurable:
        return sys.maxsize
    return contents.bytes + contents.files * 4096
