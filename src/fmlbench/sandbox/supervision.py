"""Run a job under a launcher until its last process has ended, and report how it ended."""

import selectors
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from fmlbench.sandbox.cgroups import Cgroup, open_group
from fmlbench.sandbox.launcher import Launch, Launcher, LauncherFailed
from fmlbench.sandbox.pipes import BoundedOutput, StartBarrier
from fmlbench.sandbox.process_setup import limit_launcher, limit_namespace, missing_parts, writable_folders_of
from fmlbench.sandbox.processes import ProcessTree
from fmlbench.sandbox.protocol import Execution, ExitKind, ExitReason, Job
from fmlbench.sandbox.storage import Storage
from fmlbench.sandbox.watchdog import Watchdog

_MAX_LINE_CHARACTERS = 200
_POLL_SECONDS = 0.1
_SHUTDOWN_SECONDS = 1.0
"""If the harness still runs this long after a job was killed, the kill was not part of a shutdown of both."""
_STOPPED = ExitReason(ExitKind.INFRA, "was stopped")


@dataclass(frozen=True)
class LaunchSpec:
    """What differs between the isolation levels."""

    launch: Launch
    in_namespace: bool
    use_cgroup: bool
    scratch_bytes: Callable[[int], int]
    """The used scratch space in bytes, given the PID of the job's first process."""


def supervise(job: Job, spec: LaunchSpec) -> Execution:
    """Run a job to its end. No process of it is left when this returns or raises."""
    if missing := missing_parts(job):
        return infra(f"'{missing[0]}' does not exist")
    try:
        with ExitStack() as stack:
            cgroup = open_group(job.name, job.limits) if spec.use_cgroup else None
            if cgroup:
                stack.callback(cgroup.remove)
            launcher = stack.enter_context(Launcher(spec.launch))
            output = stack.enter_context(BoundedOutput(launcher.output, job.log))
            if job.freezer:
                stack.callback(job.freezer.end)
            try:
                return _run(job, spec, cgroup, launcher, output)
            except LauncherFailed as failure:
                output.drain()
                return infra(f"the sandbox {failure}", output)
    # A job cannot cause these errors: they concern the harness's own files, pipes and processes.
    except (OSError, LauncherFailed) as error:
        return infra(str(error))


def _run(job: Job, spec: LaunchSpec, cgroup: Cgroup | None, launcher: Launcher, output: BoundedOutput) -> Execution:
    if cgroup:
        cgroup.add(launcher.pid)
    limit_launcher(launcher.pid, job, in_cgroup=cgroup is not None)
    root = launcher.begin()
    if spec.in_namespace:
        limit_namespace(root, job)
    if job.freezer:
        job.freezer.begin(ProcessTree(root, job.limits).pids)
    launcher.start()
    exit_reason = _wait_at_barrier(job.barrier, job, launcher, output) if job.barrier else None
    started = time.monotonic()
    watchdog = Watchdog(
        job.limits,
        cgroup or ProcessTree(root, job.limits),
        Storage(writable_folders_of(job), lambda: spec.scratch_bytes(root), job.limits),
        started,
    )
    if not exit_reason:
        if job.barrier:
            job.barrier.release()
        exit_reason = _watch(job, launcher, output, watchdog)
    launcher.end()
    seconds = time.monotonic() - started
    output.drain()
    exit_code = None if exit_reason else launcher.exit_code
    exit_reason = exit_reason or watchdog.final_check() or _reason_of_exit(launcher, output)
    return Execution(
        ending=exit_reason.ending,
        reason=exit_reason.reason,
        exit_code=exit_code,
        seconds=seconds,
        cpu_seconds=watchdog.cpu_seconds,
        peak_memory_mb=watchdog.peak_memory_bytes / 2**20,
        log_tail=output.tail(),
    )


def _wait_at_barrier(barrier: StartBarrier, job: Job, launcher: Launcher, output: BoundedOutput) -> ExitReason | None:
    """Wait until the barrier is opened; returns the reason if the job must be ended before."""
    with selectors.DefaultSelector() as selector:
        selector.register(launcher.handle, selectors.EVENT_READ)
        selector.register(launcher.output, selectors.EVENT_READ)
        selector.register(barrier.notice, selectors.EVENT_READ)
        while not barrier.is_open:
            ready = {key.fd for key, _ in selector.select(_POLL_SECONDS)}
            if launcher.output in ready and not output.drain_once():
                selector.unregister(launcher.output)
            if launcher.handle in ready:
                return None
            if _is_cancelled(job):
                return _STOPPED
    return None


def _is_cancelled(job: Job) -> bool:
    return bool((job.stop and job.stop.is_set()) or (job.barrier and job.barrier.is_cancelled))


def _watch(job: Job, launcher: Launcher, output: BoundedOutput, watchdog: Watchdog) -> ExitReason | None:
    """Wait until the job has ended; returns the reason if it must be ended."""
    with selectors.DefaultSelector() as selector:
        selector.register(launcher.handle, selectors.EVENT_READ)
        selector.register(launcher.output, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in selector.select(watchdog.seconds_to_next_check())}
            if launcher.output in ready and not output.drain_once():
                selector.unregister(launcher.output)
            if launcher.handle in ready:
                return None
            if _is_cancelled(job):
                return _STOPPED
            if exit_reason := watchdog.check():
                return exit_reason


def _reason_of_exit(launcher: Launcher, output: BoundedOutput) -> ExitReason:
    """How a job ended that the harness did not end."""
    code = launcher.exit_code
    if code == 0:
        return ExitReason(ExitKind.OK, "")
    if code is None or code - 128 in {signal.SIGTERM, signal.SIGKILL}:
        # At its time limit a cluster kills all processes one by one. If the harness is killed during this sleep, the
        # job's death is not recorded as a crash.
        time.sleep(_SHUTDOWN_SECONDS)
    if code is None:
        return ExitReason(ExitKind.INFRA, with_last_line(f"the sandbox {launcher.exit_description}", output))
    return ExitReason(ExitKind.CRASHED, with_last_line(_name_of(code), output))


def _name_of(exit_code: int) -> str:
    try:
        return f"killed by {signal.Signals(exit_code - 128).name}"
    except ValueError:
        return f"exit code {exit_code}"


def with_last_line(reason: str, output: BoundedOutput) -> str:
    """Append the last line of the output, which names the error in a traceback."""
    lines = output.tail().strip().splitlines()
    return f"{reason}: {lines[-1].strip()[:_MAX_LINE_CHARACTERS]}" if lines else reason


def infra(reason: str, output: BoundedOutput | None = None) -> Execution:
    """The result of a job that failed because of the machine."""
    return Execution(
        ending=ExitKind.INFRA,
        reason=with_last_line(reason, output) if output else reason,
        exit_code=None,
        seconds=0.0,
        cpu_seconds=0.0,
        peak_memory_mb=0.0,
        log_tail=output.tail() if output else "",
    )
