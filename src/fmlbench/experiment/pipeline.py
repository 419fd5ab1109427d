"""Run jobs one after the other, and let the next one get ready meanwhile.

A stage spends seconds on starting Python and importing PyTorch before it meets any of the candidate's code. Where there
is a core to spare, that happens while the stage before is at work. Candidates' code still runs in one stage at a time.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from fmlbench.core.task import Track
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.protocol import Execution, Job, Sandbox
from fmlbench.sandbox.start_barrier import StartBarrier


class StagePipeline:
    """The jobs of one experiment; ``close`` ends those that still wait for their turn."""

    def __init__(self, sandbox: Sandbox, *, ahead: bool) -> None:
        self._sandbox = sandbox
        self._ahead = ahead
        self._waiting: dict[str, _Prefetched] = {}

    def prefetch(self, job: Job) -> None:
        """Let a job get ready that will be run soon; it reads nothing of its mounts before."""
        if self._ahead and job.name not in self._waiting:
            self._waiting[job.name] = _Prefetched(self._sandbox, job)

    def close(self) -> None:
        """End the jobs that nobody has run."""
        while self._waiting:
            self._waiting.popitem()[1].give_up()

    def run(self, job: Job) -> Execution:
        """Run a job to its end, at once if it is ready."""
        waiting = self._waiting.pop(job.name, None)
        return waiting.go() if waiting else self._sandbox.run(job)


def can_start_ahead(sandbox: Sandbox, track: Track) -> bool:
    """Whether a stage gains by starting early: a core is free for it, and starting takes time."""
    return has_spare_core(track) and not isinstance(sandbox, ForkServer)


def has_spare_core(track: Track) -> bool:
    """Whether two of a track's processes can work side by side; devices are not shared."""
    return len(os.sched_getaffinity(0)) >= 2 * track.threads and not track.devices


class _Prefetched:
    """A job behind a gate, supervised by a thread of its own."""

    def __init__(self, sandbox: Sandbox, job: Job) -> None:
        self._gate = StartBarrier()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=job.name)
        self._ended = self._thread.submit(sandbox.run, replace(job, gate=self._gate))

    def go(self) -> Execution:
        """Open the gate and wait for the end."""
        self._gate.open()
        try:
            return self._ended.result()
        finally:
            self.give_up()

    def give_up(self) -> None:
        """End the job if it has not ended, and wait until nothing is left of it."""
        self._gate.give_up()
        self._thread.shutdown()
        self._gate.close()
