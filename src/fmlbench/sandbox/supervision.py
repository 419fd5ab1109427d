"""Run a job under a keeper, from its start to its last process, and tell how it ended."""

import selectors
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from fmlbench.sandbox.cgroup_versions import Cgroup
from fmlbench.sandbox.cgroups import open_group
from fmlbench.sandbox.launcher import Launch, Launcher, LauncherFailed
from fmlbench.sandbox.output import BoundedOutput
from fmlbench.sandbox.process_setup import limit_keeper, limit_namespace, missing_parts, writable_folders_of
from fmlbench.sandbox.processes import ProcessTree
from fmlbench.sandbox.protocol import Execution, ExitKind, ExitReason, Job
from fmlbench.sandbox.start_barrier import StartBarrier
from fmlbench.sandbox.storage import Storage
from fmlbench.sandbox.watchdog import Watchdog

_WORDS_CHARACTERS = 200
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_OUTLIVE_A_JOB = 1.0
"""Who is still there so long after a job was ended from outside was not to be ended with it."""
_STOPPED = ExitReason(ExitKind.INFRA, "was stopped")


@dataclass(frozen=True)
class LaunchSpec:
    """What differs between the rungs."""

    launch: Launch
    in_namespace: bool
    use_cgroup: bool
    scratch_bytes: Callable[[int], int]
    """How full the scratch space is, given the process that all of the job descends from."""


def supervise(job: Job, rig: LaunchSpec) -> Execution:
    """Run a job to its end. Whatever happens, nothing of it is left when this returns or raises."""
    if missing := missing_parts(job):
        return infra(f"there is no '{missing[0]}'")
    try:
        with ExitStack() as stack:
            cgroup = open_group(job.name, job.limits) if rig.use_cgroup else None
            if cgroup:
                stack.callback(cgroup.remove)
            launcher = stack.enter_context(Launcher(rig.launch))
            output = stack.enter_context(BoundedOutput(launcher.output, job.log))
            if job.freezer:
                stack.callback(job.freezer.end)
            try:
                return _run(job, rig, cgroup, launcher, output)
            except LauncherFailed as failure:
                output.drain()
                return infra(f"the sandbox {failure}", output)
    # A job cannot cause these: it is our own files, pipes and processes that are not to be had, or not to be ended.
    except (OSError, LauncherFailed) as trouble:
        return infra(str(trouble))


def _run(job: Job, rig: LaunchSpec, cgroup: Cgroup | None, launcher: Launcher, output: BoundedOutput) -> Execution:
    if cgroup:
        cgroup.add(launcher.pid)
    limit_keeper(launcher.pid, job, in_cgroup=cgroup is not None)
    root = launcher.begin()
    if rig.in_namespace:
        limit_namespace(root, job)
    if job.freezer:
        job.freezer.begin(ProcessTree(root, job.limits).pids)
    launcher.start()
    verdict = _wait_at_gate(job.gate, job, launcher, output) if job.gate else None
    started = time.monotonic()
    watchdog = Watchdog(
        job.limits,
        cgroup or ProcessTree(root, job.limits),
        Storage(writable_folders_of(job), lambda: rig.scratch_bytes(root), job.limits),
        started,
    )
    if not verdict:
        if job.gate:
            job.gate.let_through()
        verdict = _follow(job, launcher, output, watchdog)
    launcher.end()
    seconds = time.monotonic() - started
    output.drain()
    own_exit_code = None if verdict else launcher.exit_code
    verdict = verdict or watchdog.look_at_the_end() or _verdict_on(launcher, output)
    return Execution(
        ending=verdict.ending,
        reason=verdict.reason,
        exit_code=own_exit_code,
        seconds=seconds,
        cpu_seconds=watchdog.cpu_seconds,
        peak_memory_mb=watchdog.peak_memory_bytes / 2**20,
        log_tail=output.tail(),
    )


def _wait_at_gate(gate: StartBarrier, job: Job, launcher: Launcher, output: BoundedOutput) -> ExitReason | None:
    """Let the job get ready and wait until the gate is opened; returned is what it must be ended for before."""
    with selectors.DefaultSelector() as selector:
        selector.register(launcher.handle, selectors.EVENT_READ)
        selector.register(launcher.output, selectors.EVENT_READ)
        selector.register(gate.notice, selectors.EVENT_READ)
        while not gate.is_open:
            ready = {key.fd for key, _ in selector.select(_SECONDS_BETWEEN_LOOKS)}
            if launcher.output in ready and not output.drain_once():
                selector.unregister(launcher.output)
            if launcher.handle in ready:
                return None
            if _is_unwanted(job):
                return _STOPPED
    return None


def _is_unwanted(job: Job) -> bool:
    return bool((job.stop and job.stop.is_set()) or (job.gate and job.gate.is_given_up))


def _follow(job: Job, launcher: Launcher, output: BoundedOutput, watchdog: Watchdog) -> ExitReason | None:
    """Wait until the job has ended, or has to be ended; the latter is returned."""
    with selectors.DefaultSelector() as selector:
        selector.register(launcher.handle, selectors.EVENT_READ)
        selector.register(launcher.output, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in selector.select(watchdog.seconds_to_next_look())}
            if launcher.output in ready and not output.drain_once():
                selector.unregister(launcher.output)
            if launcher.handle in ready:
                return None
            if _is_unwanted(job):
                return _STOPPED
            if verdict := watchdog.look():
                return verdict


def _verdict_on(launcher: Launcher, output: BoundedOutput) -> ExitReason:
    """How a job ended that nobody had to end."""
    code = launcher.exit_code
    if code == 0:
        return ExitReason(ExitKind.OK, "")
    if code is None or code - 128 in {signal.SIGTERM, signal.SIGKILL}:
        # A cluster whose time limit is reached ends all processes one by one, us after the job: that is not its crash.
        time.sleep(_SECONDS_TO_OUTLIVE_A_JOB)
    if code is None:
        return ExitReason(ExitKind.INFRA, with_last_line(f"the sandbox {launcher.last_words}", output))
    return ExitReason(ExitKind.CRASHED, with_last_line(_name_of(code), output))


def _name_of(exit_code: int) -> str:
    try:
        return f"died of {signal.Signals(exit_code - 128).name}"
    except ValueError:
        return f"exit code {exit_code}"


def with_last_line(reason: str, output: BoundedOutput) -> str:
    """Add the last line that was printed: where an error says what it is."""
    lines = output.tail().strip().splitlines()
    return f"{reason}: {lines[-1].strip()[:_WORDS_CHARACTERS]}" if lines else reason


def infra(reason: str, output: BoundedOutput | None = None) -> Execution:
    """The end of a job that the machine failed, not itself."""
    return Execution(
        ending=ExitKind.INFRA,
        reason=with_last_line(reason, output) if output else reason,
        exit_code=None,
        seconds=0.0,
        cpu_seconds=0.0,
        peak_memory_mb=0.0,
        log_tail=output.tail() if output else "",
    )
