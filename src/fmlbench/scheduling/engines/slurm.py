"""SLURM: arrays of batch jobs, several runs per job, watched with squeue alone.

Dispatching takes SLURM about a second per job, so a job gets ten minutes of work where runs are short. A sweep that
ends leaves its jobs in the queue; the next one finds them there by their name and their comment.
"""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from fmlbench.core.errors import EngineMissing, InfraTrouble
from fmlbench.scheduling.engines.engine import Over
from fmlbench.scheduling.planning import Plan, PlannedRun
from fmlbench.scheduling.study import Slurm as Options

_PROGRAMS = ("sbatch", "squeue", "scancel")
_JOB_SECONDS = 600.0
_LARGEST_ARRAY = 1000
"""SLURM's own default allows indices up to this."""
_MOST_RUNS = 10_000
_STOP_SECONDS = 90.0

T = TypeVar("T")


def open_slurm(plan: Plan, cache: Path) -> "Slurm":
    """Use the cluster that this machine submits to."""
    missing = [program for program in _PROGRAMS if not shutil.which(program)]
    if missing:
        raise EngineMissing(
            f"SLURM is not to be had here: there is no {', '.join(missing)}.", hint="Start the sweep on a login node."
        )
    slurm = Slurm(plan=plan, cache=cache, tables=plan.runs[0].folder.path.parent / ".slurm")
    slurm.adopt()
    return slurm


@dataclass
class Slurm:
    """Plays runs as batch jobs."""

    plan: Plan
    cache: Path
    tables: Path
    """The lists of run folders that jobs are given, one row per job."""
    _under_way: dict[tuple[str, int], tuple[PlannedRun, ...]] = field(
        default_factory=dict[tuple[str, int], tuple[PlannedRun, ...]]
    )
    """By the name of the table and the row."""
    _asked: float = field(default=float("-inf"))

    @property
    def parallel(self) -> int:
        """What the study allows; SLURM alone knows how many nodes there are."""
        return self.plan.study.caps.parallel or len(self.plan.runs)

    @property
    def name(self) -> str:
        """The name of all jobs of this sweep."""
        return f"fmlbench-{self.plan.study.name}"

    def room(self) -> int:
        """A queue has room for all; how many go on at once is the array's own business."""
        return _MOST_RUNS - sum(map(len, self._under_way.values()))

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Submit runs, alike ones in one array."""
        for alike in _by_needs(runs):
            rows = list(_chunks(alike, self._runs_per_job(alike[0])))
            for array in _chunks(rows, _LARGEST_ARRAY):
                self._submit(array)

    def over(self) -> Sequence[Over]:
        """The jobs that have left the queue; asked for now and then, for all users share the answer's cost."""
        if not self._under_way or time.monotonic() - self._asked < self.plan.study.slurm.poll_seconds:
            return []
        self._asked = time.monotonic()
        try:
            queued = set(self._queued())
        except InfraTrouble:
            return []  # A controller that is too busy to answer; jobs go on meanwhile.
        gone = [key for key in self._under_way if key not in queued]
        return [Over(self._under_way.pop(key), "its SLURM job ended before it began; see its output") for key in gone]

    def stop(self) -> None:
        """Have all jobs of this sweep cancelled."""
        _run("scancel", f"--name={self.name}")
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline and any(self._queued()):
            time.sleep(1)

    def leave(self) -> None:
        """Jobs go on without the sweep."""

    def adopt(self) -> None:
        """Find the jobs that an earlier sweep of this study left in the queue."""
        by_path = {str(run.folder.path): run for run in self.plan.runs}
        for table, row in self._queued():
            path = self.tables / table
            words = path.read_text("utf-8").splitlines()[row].split("\t") if path.exists() else []
            runs = tuple(by_path[word] for word in words if word in by_path)
            if runs:
                self._under_way[table, row] = runs

    def adopted(self) -> Sequence[PlannedRun]:
        """What an earlier sweep of this study left in the queue."""
        return [run for runs in self._under_way.values() for run in runs]

    def _submit(self, rows: Sequence[Sequence[PlannedRun]]) -> None:
        self.tables.mkdir(parents=True, exist_ok=True)
        table = self.tables / f"{self.plan.study.name}-{time.time_ns()}"
        table.write_text("".join("\t".join(str(run.folder.path) for run in row) + "\n" for row in rows), "utf-8")
        script = "\n".join(self._script(table, rows[0][0], len(rows))) + "\n"
        _run("sbatch", "--parsable", given=script)
        for number, row in enumerate(rows):
            self._under_way[table.name, number] = tuple(row)

    def _script(self, table: Path, run: PlannedRun, rows: int) -> Iterator[str]:
        options = self.plan.study.slurm
        yield "#!/bin/sh"
        for option in (
            f"--job-name={self.name}",
            f"--comment={table.name}",
            f"--array=0-{rows - 1}%{self.parallel}",
            f"--cpus-per-task={run.needs.threads}",
            f"--mem={options.memory_mb or run.needs.memory_mb}M",
            "--requeue",
            # Output of players goes to their run folders; this is for what goes wrong before.
            f"--output={table}.out",
            "--open-mode=append",
            *_wishes(options, wants_gpu=run.needs.wants_gpu),
        ):
            yield f"#SBATCH {option}"
        python = options.python or sys.executable
        # The shell would swallow the signal that asks a job to stop, were it not replaced.
        words = shlex.join([python, "-m", "fmlbench.scheduling.job", str(self.cache), str(table)])
        yield f'exec {words} "$SLURM_ARRAY_TASK_ID"'

    def _runs_per_job(self, run: PlannedRun) -> int:
        each = run.cost.seconds
        return self.plan.study.slurm.runs_per_job or (max(1, int(_JOB_SECONDS / each)) if each else 1)

    def _queued(self) -> Iterator[tuple[str, int]]:
        """The jobs of this sweep that wait or run, by table and row."""
        for line in _run("squeue", "--noheader", "--array", f"--name={self.name}", "--format=%K %k").splitlines():
            row, _, table = line.strip().partition(" ")
            if row.isdecimal():
                yield table, int(row)


def _wishes(options: Options, *, wants_gpu: bool) -> Iterator[str]:
    if options.partition:
        yield f"--partition={options.partition}"
    if options.time:
        yield f"--time={options.time}"
    if wants_gpu:
        yield f"--gpus={options.gpus}"
    yield from options.options


def _by_needs(runs: Sequence[PlannedRun]) -> Iterator[list[PlannedRun]]:
    """Runs that take the same and need the same."""
    alike: dict[object, list[PlannedRun]] = {}
    for run in runs:
        alike.setdefault((run.spec.task, run.needs), []).append(run)
    yield from alike.values()


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _run(*command: str, given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InfraTrouble(f"{command[0]} failed: {done.stderr.strip()}.", hint="Ask SLURM with 'sinfo' how it is.")
    return done.stdout
