"""Execute runs on Ray: an existing cluster, or one started on this machine.

Ray places jobs by CPUs, memory and GPUs. Its retries are disabled, because the sweep retries runs itself.
"""

import importlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fmlbench.core.errors import EngineMissing
from fmlbench.records.folder import RunFolder
from fmlbench.scheduling.engines.engine import JobDone
from fmlbench.scheduling.job import JobRunner, gpu_numbers, run_job
from fmlbench.scheduling.plan import PlannedRun
from fmlbench.scheduling.study import RayOptions, Study

_STOP_SECONDS = 90


def open_ray(study: Study, cache: Path) -> "RayCluster":
    """Connect to the study's cluster, or start one here."""
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise EngineMissing("Ray is not installed here.", hint="pip install 'fmlbench[ray]'") from error
    try:
        ray.init(address=study.ray.address or "local", include_dashboard=False, log_to_driver=False)
    except ConnectionError as error:
        raise EngineMissing(
            f"There is no Ray cluster at '{study.ray.address}'.", hint="Start one with 'ray start --head'."
        ) from error
    return RayCluster(ray, study.ray, cache, study.caps.parallel)


class RayCluster:
    """Executes runs as Ray tasks."""

    def __init__(self, ray: Any, options: RayOptions, cache: Path, parallel: int | None) -> None:
        self._ray = ray
        self._options = options
        self._runner = JobRunner(cache=cache, python=options.python) if options.python else JobRunner(cache=cache)
        self._cap = parallel
        # The sweep retries runs that are killed with their worker, and counts these failures.
        self._play = ray.remote(max_retries=0)(play)
        self._under_way: dict[Any, PlannedRun] = {}

    @property
    def parallel(self) -> int:
        """The number of CPUs, limited by the study's cap."""
        cpus = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return min(cpus, self._cap or cpus)

    def recovered(self) -> Sequence[PlannedRun]:
        """None: no job outlives its sweep."""
        return []

    def room(self) -> int:
        """Number of further runs; zero if more are running than the remaining nodes have CPUs."""
        return max(0, self.parallel - len(self._under_way))

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Submit runs to Ray."""
        for run in runs:
            placed = self._play.options(
                num_cpus=run.needs.threads,
                memory=run.needs.memory_mb * 2**20,
                num_gpus=self._options.gpus if run.needs.wants_gpu else 0,
                name=run.folder.path.name,
            )
            self._under_way[placed.remote(str(run.folder.path), self._runner)] = run

    def finished(self) -> Sequence[JobDone]:
        """The runs whose task has ended or was lost with its node."""
        if not self._under_way:
            return []
        references = list(self._under_way)
        ready, _ = self._ray.wait(references, num_returns=len(references), timeout=0)
        return [JobDone((self._under_way.pop(reference),), self._error_of(reference)) for reference in ready]

    def stop(self) -> None:
        """Interrupt all tasks, which stop their runs cleanly, and disconnect."""
        for reference in self._under_way:
            self._ray.cancel(reference, force=False)
        if self._under_way:
            references = list(self._under_way)
            self._ray.wait(references, num_returns=len(references), timeout=_STOP_SECONDS)
        self._ray.shutdown()

    def close(self) -> None:
        """Stop: Ray kills the tasks of a driver that exits."""
        self.stop()

    def _error_of(self, reference: Any) -> str:
        try:
            self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return str(error).strip().splitlines()[0]
        return ""


def play(path: str, runner: JobRunner) -> None:
    """Execute one job in a Ray worker, whose main thread Ray interrupts when the job is cancelled."""
    # Ray passes a worker's GPUs only through environment variables, which candidates do not inherit.
    ray: Any = importlib.import_module("ray")
    own = replace(runner, gpus=gpu_numbers(ray.get_gpu_ids()))
    run_job(RunFolder(Path(path)), own, threading.Event())
