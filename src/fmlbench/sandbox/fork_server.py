"""Run trusted code many times without starting Python and importing PyTorch each time.

Admission measures a task's baseline, ablation and reference about sixty times, and imports take most of a stage's
time. Here all stages are forks of one process that has imported the libraries. Scores equal those of the sandbox.
There is no isolation, so agents' code never runs this way.
"""

import json
import select
import signal
import socket
import subprocess
from pathlib import Path
from types import TracebackType

from fmlbench.core.run import Isolation
from fmlbench.sandbox import forker
from fmlbench.sandbox.isolation import linked_root
from fmlbench.sandbox.pipes import BoundedOutput, Pipe
from fmlbench.sandbox.process_setup import SCRATCH, check_targets, command_of, environment_of, working_folder_of
from fmlbench.sandbox.protocol import Execution, ExitKind, ExitReason, Job
from fmlbench.sandbox.supervision import infra, with_last_line

_LOOK_SECONDS = 0.1
_REPLY_BYTES = 4096
_END_SECONDS = 30.0


class ForkServer:
    """A sandbox without isolation; leaving the context ends its processes.

    CPU seconds exclude the start of Python. Only the limits on CPU time and wall time are enforced.
    """

    isolation = Isolation.NONE

    def __init__(self) -> None:
        self._servers: dict[tuple[Path, bool], _ForkProcess] = {}

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._servers:
            self._servers.popitem()[1].close()

    def run(self, job: Job) -> Execution:
        """Run a job to its end; never raises for what the job does."""
        check_targets(job)
        key = (job.python.executable, job.isolated)
        try:
            if key not in self._servers:
                self._servers[key] = _ForkProcess(job)
            with linked_root(job) as root:
                return self._servers[key].run(job, str(root))
        except OSError as error:
            if key in self._servers:
                self._servers.pop(key).close()
            return infra(f"the fork server failed: {error}")


class _ForkProcess:
    """A forking process of the task's Python; the one for graders and dataset builders imports only NumPy."""

    def __init__(self, job: Job) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        options = ["-I"] if job.isolated else []
        libraries = ["numpy"] if job.isolated else ["numpy", "torch"]
        # Libraries read the number of threads at import, so the first job's number applies to all jobs.
        environment = {**environment_of(job, "/"), "PYTHONPATH": ""}
        try:
            self._process = subprocess.Popen(
                [job.python.executable, *options, "-B", forker.__file__, str(theirs.fileno()), *libraries],
                stdin=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        finally:
            theirs.close()

    def close(self) -> None:
        """End the process and its running job."""
        self._control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def run(self, job: Job, root: str) -> Execution:
        _, *command = [part for part in command_of(job, root) if part not in ("-I", "-B", "-u")]
        message = {
            "command": command,
            "environment": {**environment_of(job, root), "TMPDIR": f"{root}/{SCRATCH}"},
            "working_folder": working_folder_of(job, root),
            "cpu_seconds": int(job.limits.cpu_seconds),
            "wall_seconds": job.limits.wall_seconds,
            "fds": job.pass_fds,
        }
        pipe = Pipe()
        try:
            fds = [pipe.writer, *job.pass_fds]
            socket.send_fds(self._control, [json.dumps(message).encode()], fds)
            pipe.close_writer()
            with BoundedOutput(pipe.reader, job.log) as output:
                reply = self._follow(job, pipe.reader, output)
                output.drain()
                return _execution(job, reply, output)
        finally:
            pipe.close()

    def _follow(self, job: Job, pipe: int, output: BoundedOutput) -> dict[str, float]:
        """Collect the job's output until the server reports its exit status."""
        watched = [self._control.fileno(), pipe]
        while True:
            ready, _, _ = select.select(watched, [], [], _LOOK_SECONDS)
            if pipe in ready and not output.drain_once():
                watched.remove(pipe)
            if self._control.fileno() in ready:
                if reply := self._control.recv(_REPLY_BYTES):
                    return json.loads(reply)
                raise ConnectionError("it has ended")
            if job.stop and job.stop.is_set():
                raise InterruptedError("the job was stopped")


def _execution(job: Job, reply: dict[str, float], output: BoundedOutput) -> Execution:
    code = int(reply["code"])
    exit_reason = _exit_reason(job, code, output)
    return Execution(
        ending=exit_reason.ending,
        reason=exit_reason.reason,
        exit_code=code if code >= 0 else None,
        seconds=reply["cpu_seconds"],
        cpu_seconds=reply["cpu_seconds"],
        peak_memory_mb=reply["peak_memory_mb"],
        log_tail=output.tail(),
    )


def _exit_reason(job: Job, code: int, output: BoundedOutput) -> ExitReason:
    if code == 0:
        return ExitReason(ExitKind.OK, "")
    if code == -signal.SIGXCPU:
        return ExitReason(ExitKind.TIMEOUT, f"used more than {job.limits.cpu_seconds:g} CPU seconds")
    if code == -signal.SIGALRM:
        return ExitReason(ExitKind.TIMEOUT, f"ran for more than {job.limits.wall_seconds:g} seconds")
    reason = f"exit code {code}" if code > 0 else f"killed by {signal.Signals(-code).name}"
    return ExitReason(ExitKind.CRASHED, with_last_line(reason, output))
