"""Execute runs on SLURM: job arrays with several runs per job, polled with squeue.

SLURM needs about a second to dispatch a job, so short runs are combined into jobs of ten minutes. The queue never
holds more jobs than may run in parallel, because SLURM limits only the jobs of one array, not of several arrays
together. A sweep that ends leaves its jobs in the queue; the next one finds them by job name and comment.
"""

import itertools
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from fmlbench.core.errors import EngineMissing, InfraTrouble
from fmlbench.scheduling.engines.engine import JobDone
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.study import SlurmOptions

_PROGRAMS = ("sbatch", "squeue", "scancel")
_JOB_SECONDS = 600.0
_LARGEST_ARRAY = 1000
"""SLURM's default limit of array indices."""
_MOST_RUNS = 10_000
_STOP_LOOKS = 90
"""Maximum number of polls, a second apart, until cancelled jobs have left the queue."""
_PAUSES_SECONDS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""Pauses between retries while the controller does not answer."""
_PASSING = re.compile(
    r"timed out|temporarily|unable to contact|zero bytes|connection (?:refused|reset)|standby mode", re.IGNORECASE
)
"""Error messages of a busy or restarting controller; other errors are not retried."""

T = TypeVar("T")
Row = tuple[PlannedRun, ...]
"""The runs of one job, executed sequentially."""


def open_slurm(plan: Plan, cache: Path) -> "SlurmEngine":
    """Use the cluster of this login node."""
    missing = [program for program in _PROGRAMS if not shutil.which(program)]
    if missing:
        raise EngineMissing(
            f"SLURM is not available on this machine: {', '.join(missing)} not found.",
            hint="Start the sweep on a login node.",
        )
    slurm = SlurmEngine(plan=plan, cache=cache, tables=plan.runs[0].folder.path.parent / ".slurm")
    slurm.recover()
    return slurm


@dataclass
class SlurmEngine:
    """Executes runs as batch jobs."""

    plan: Plan
    cache: Path
    tables: Path
    """The folder of job tables: lists of run folders, one row per job."""
    sleep: Callable[[float], None] = time.sleep
    _under_way: dict[tuple[str, int], Row] = field(default_factory=dict[tuple[str, int], Row])
    """By table name and row."""
    _waiting: list[Row] = field(default_factory=list[Row])
    """Jobs to submit when others have ended, in the order of the plan."""
    _dropped: list[Row] = field(default_factory=list[Row])
    """Jobs that were cancelled before submission."""
    _asked: float = field(default=float("-inf"))

    @property
    def parallel(self) -> int:
        """The study's cap; the number of nodes is unknown."""
        return self.plan.study.caps.parallel or len(self.plan.runs)

    @property
    def name(self) -> str:
        """The name of all jobs of this sweep."""
        return f"fmlbench-{self.plan.study.name}"

    def room(self) -> int:
        """Accept all runs, so that they can be combined into jobs; the engine limits the jobs in the queue."""
        rows = (*self._under_way.values(), *self._waiting)
        return max(0, _MOST_RUNS - sum(map(len, rows)))

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Combine similar runs into jobs, and submit as many as the cap allows."""
        for alike in _by_needs(runs):
            self._waiting.extend(map(tuple, _chunks(alike, self._runs_per_job(alike[0]))))
        self._waiting.sort(key=lambda row: self._places[row[0].folder.path])
        self._fill_up()

    def finished(self) -> Sequence[JobDone]:
        """The jobs that have left the queue; polled rarely, because all users share the controller."""
        gone = self._gone()
        self._fill_up()
        dropped, self._dropped = self._dropped, []
        words = "its SLURM job ended before the run started; see the job's output"
        return [JobDone(row, words) for row in (*gone, *dropped)]

    def stop(self) -> None:
        """Cancel all jobs of this sweep."""
        self._waiting.clear()
        self._with_retries(lambda: _run("scancel", f"--name={self.name}"))
        for _ in range(_STOP_LOOKS):
            # If the controller does not answer, the jobs are still cancelled.
            with suppress(InfraTrouble):
                if not self._queued():
                    return
            self.sleep(1)

    def close(self) -> None:
        """Do nothing: jobs continue without the sweep."""

    def recover(self) -> None:
        """Find the jobs that an earlier sweep of this study left in the queue."""
        by_path = {str(run.folder.path): run for run in self.plan.runs}
        for table, row in self._with_retries(self._queued):
            path = self.tables / table
            words = path.read_text("utf-8").splitlines()[row].split("\t") if path.exists() else []
            runs = tuple(by_path[word] for word in words if word in by_path)
            if runs:
                self._under_way[table, row] = runs

    def recovered(self) -> Sequence[PlannedRun]:
        """The runs that an earlier sweep of this study left in the queue."""
        return [run for runs in self._under_way.values() for run in runs]

    @cached_property
    def _places(self) -> dict[Path, int]:
        return {run.folder.path: place for place, run in enumerate(self.plan.runs)}

    def _gone(self) -> list[Row]:
        """The jobs that have left the queue, if the poll interval has passed."""
        if not self._under_way or time.monotonic() - self._asked < self.plan.study.slurm.poll_seconds:
            return []
        self._asked = time.monotonic()
        try:
            queued = set(self._queued())
        except InfraTrouble:
            return []  # The controller is too busy to answer; jobs continue meanwhile.
        return [self._under_way.pop(key) for key in [key for key in self._under_way if key not in queued]]

    def _fill_up(self) -> None:
        """Submit waiting jobs up to the cap; jobs cancelled meanwhile are dropped."""
        chosen: list[Row] = []
        while self._waiting and len(chosen) < self.parallel - len(self._under_way):
            row = self._waiting.pop(0)
            is_wanted = any(not run.folder.cancelled.exists() for run in row)
            (chosen if is_wanted else self._dropped).append(row)
        for alike in _group_by(chosen, lambda row: row[0].needs):
            for array in _chunks(alike, _LARGEST_ARRAY):
                self._submit(array)

    def _submit(self, rows: Sequence[Row]) -> None:
        self.tables.mkdir(parents=True, exist_ok=True)
        table = self.tables / f"{self.plan.study.name}-{time.time_ns()}"
        table.write_text("".join("\t".join(str(run.folder.path) for run in row) + "\n" for row in rows), "utf-8")
        script = "\n".join(self._script(table, rows[0][0], len(rows))) + "\n"
        self._submit_with_retries(script, table.name)
        for number, row in enumerate(rows):
            self._under_way[table.name, number] = row

    def _submit_with_retries(self, script: str, table: str) -> None:
        """Submit with retries; a controller that did not answer may still have accepted the jobs."""
        tries = itertools.count()

        def submit() -> None:
            if next(tries) == 0 or table not in {queued for queued, _ in self._queued()}:
                _run("sbatch", "--parsable", given=script)

        self._with_retries(submit)

    def _with_retries(self, ask: Callable[[], T]) -> T:
        """Call the controller, with retries while it is busy."""
        for pause in _PAUSES_SECONDS:
            try:
                return ask()
            except InfraTrouble as trouble:
                if not _PASSING.search(str(trouble)):
                    raise
                self.sleep(pause)
        return ask()

    def _script(self, table: Path, run: PlannedRun, rows: int) -> Iterator[str]:
        options = self.plan.study.slurm
        yield "#!/bin/sh"
        for option in (
            f"--job-name={self.name}",
            f"--comment={table.name}",
            f"--array=0-{rows - 1}",
            f"--cpus-per-task={run.needs.threads}",
            f"--mem={options.memory_mb or run.needs.memory_mb}M",
            "--requeue",
            # The output of runs goes to their folders; this file shows errors before a run starts.
            f"--output={table}.out",
            "--open-mode=append",
            *_options(options, wants_gpu=run.needs.wants_gpu),
        ):
            yield f"#SBATCH {option}"
        python = options.python or sys.executable
        # exec replaces the shell, which would not forward SIGTERM.
        words = shlex.join([python, "-m", "fmlbench.scheduling.job", str(self.cache), str(table)])
        # SLURM_JOB_GPUS has the numbers of the device files. CUDA_VISIBLE_DEVICES starts at 0 in each job if a control
        # group confines the devices.
        yield f'exec {words} "$SLURM_ARRAY_TASK_ID" "$SLURM_JOB_GPUS"'

    def _runs_per_job(self, run: PlannedRun) -> int:
        each = run.cost.seconds
        return self.plan.study.slurm.runs_per_job or (max(1, int(_JOB_SECONDS / each)) if each else 1)

    def _queued(self) -> list[tuple[str, int]]:
        """The pending and running jobs of this sweep, by table and row."""
        output = _run("squeue", "--noheader", "--array", f"--name={self.name}", "--format=%K %k")
        words = (line.strip().partition(" ") for line in output.splitlines())
        return [(table, int(row)) for row, _, table in words if row.isdecimal()]


def _options(options: SlurmOptions, *, wants_gpu: bool) -> Iterator[str]:
    if options.partition:
        yield f"--partition={options.partition}"
    if options.time:
        yield f"--time={options.time}"
    if wants_gpu:
        yield f"--gpus={options.gpus}"
    yield from options.options


def _by_needs(runs: Sequence[PlannedRun]) -> Iterator[list[PlannedRun]]:
    """Runs grouped by task and needs."""
    return _group_by(runs, lambda run: (run.spec.task, run.needs))


def _group_by(items: Sequence[T], key: Callable[[T], object]) -> Iterator[list[T]]:
    groups: dict[object, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    yield from groups.values()


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _run(*command: str, given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InfraTrouble(f"{command[0]} failed: {done.stderr.strip()}.", hint="Check the cluster with 'sinfo'.")
    return done.stdout
