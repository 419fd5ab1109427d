"""Execute runs on this machine: a thread per worker, a process per run, no daemon.

Cores and GPUs are divided among the workers, so that runs do not slow each other. A killed process loses only its own
attempt.
"""

import os
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from fmlbench.scheduling.engines.engine import JobDone
from fmlbench.scheduling.job import JobRunner, run_job
from fmlbench.scheduling.plan import Needs, PlannedRun


@dataclass(frozen=True)
class Machine:
    """The resources to divide among workers."""

    cores: tuple[int, ...]
    memory_mb: int
    gpus: tuple[int, ...]

    def workers(self, needs: Sequence[Needs]) -> int:
        """The number of runs that fit in parallel, for the largest needs."""
        threads = max(need.threads for need in needs)
        memory = max(need.memory_mb for need in needs)
        fit = min(len(self.cores) // threads, self.memory_mb // memory)
        if any(need.wants_gpu for need in needs) and self.gpus:
            fit = min(fit, len(self.gpus))
        return max(1, fit)

    def shares(self, workers: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The cores and GPUs of each worker; empty if there are too few to divide."""
        return list(zip(_divide(self.cores, workers), _divide(self.gpus, workers), strict=True))


def this_machine() -> Machine:
    """The resources that this process may use."""
    gpus = sorted(int(path.name.removeprefix("nvidia")) for path in Path("/dev").glob("nvidia[0-9]*"))
    return Machine(
        cores=tuple(sorted(os.sched_getaffinity(0))),
        memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        gpus=tuple(gpus),
    )


def _divide(things: Sequence[int], workers: int) -> list[tuple[int, ...]]:
    each = len(things) // workers
    return [tuple(things[worker * each : (worker + 1) * each]) for worker in range(workers)]


class Local:
    """Executes runs in local processes."""

    def __init__(self, runner: JobRunner, workers: int, machine: Machine) -> None:
        self.parallel = workers
        self._shares: queue.SimpleQueue[tuple[tuple[int, ...], tuple[int, ...]]] = queue.SimpleQueue()
        for share in machine.shares(workers):
            self._shares.put(share)
        self._runner = runner
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="worker")
        self._over: queue.SimpleQueue[JobDone] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._under_way = 0

    def recovered(self) -> Sequence[PlannedRun]:
        """None: no job outlives its sweep."""
        return []

    def room(self) -> int:
        """Number of idle workers."""
        return self.parallel - self._under_way

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Give runs to idle workers."""
        for run in runs:
            self._under_way += 1
            self._pool.submit(self._work, run)

    def finished(self) -> Sequence[JobDone]:
        """The runs whose process has ended."""
        ended: list[JobDone] = []
        while not self._over.empty():
            ended.append(self._over.get())
        self._under_way -= len(ended)
        return ended

    def stop(self) -> None:
        """Terminate all run processes cleanly, and wait for them."""
        self._stopping.set()
        self._pool.shutdown(wait=True)

    def close(self) -> None:
        """Stop: run processes need the sweep's process."""
        self.stop()

    def _work(self, run: PlannedRun) -> None:
        share = self._shares.get()
        problem = ""
        try:
            runner = replace(self._runner, cores=share[0], gpus=share[1] if run.needs.wants_gpu else ())
            run_job(run.folder, runner, self._stopping)
        except OSError as error:
            problem = str(error)
        finally:
            self._shares.put(share)
            self._over.put(JobDone((run,), problem))
