"""Run jobs one after the other, and start the next one ahead of time.

A stage spends seconds on starting Python and importing PyTorch before it runs any candidate code. If a core is free,
this happens while the previous stage runs. Candidate code still runs in only one stage at a time.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from fmlbench.core.task import Track
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.pipes import StartBarrier
from fmlbench.sandbox.protocol import Execution, Job, Sandbox


class StagePipeline:
    """The jobs of one experiment; ``close`` ends those that were started ahead and have not run."""

    def __init__(self, sandbox: Sandbox, *, ahead: bool) -> None:
        self._sandbox = sandbox
        self._ahead = ahead
        self._waiting: dict[str, _Prefetched] = {}

    def prefetch(self, job: Job) -> None:
        """Start a job ahead; it waits at its start barrier and reads none of its mounts before ``run``."""
        if self._ahead and job.name not in self._waiting:
            self._waiting[job.name] = _Prefetched(self._sandbox, job)

    def close(self) -> None:
        """End the jobs that were prefetched but not run."""
        while self._waiting:
            self._waiting.popitem()[1].cancel()

    def run(self, job: Job) -> Execution:
        """Run a job to its end; a prefetched job starts at once."""
        prefetched = self._waiting.pop(job.name, None)
        return prefetched.run() if prefetched else self._sandbox.run(job)


def can_start_ahead(sandbox: Sandbox, track: Track) -> bool:
    """Whether starting stages ahead saves time: a core is free, and starting is slow."""
    return has_spare_core(track) and not isinstance(sandbox, ForkServer)


def has_spare_core(track: Track) -> bool:
    """Whether two of a track's processes can run at the same time; devices are not shared."""
    return len(os.sched_getaffinity(0)) >= 2 * track.threads and not track.devices


class _Prefetched:
    """A job at its start barrier, supervised by a separate thread."""

    def __init__(self, sandbox: Sandbox, job: Job) -> None:
        self._barrier = StartBarrier()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=job.name)
        self._execution = self._thread.submit(sandbox.run, replace(job, barrier=self._barrier))

    def run(self) -> Execution:
        """Open the barrier and wait until the job has ended."""
        self._barrier.open()
        try:
            return self._execution.result()
        finally:
            self.cancel()

    def cancel(self) -> None:
        """End the job if it still runs, and wait until all its processes are gone."""
        self._barrier.cancel()
        self._thread.shutdown()
        self._barrier.close()
