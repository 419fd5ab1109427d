"""SLURM: arrays of batch jobs, several runs per job, watched with squeue alone.

Dispatching takes SLURM about a second per job, so a job gets ten minutes of work where runs are short. No more jobs
are in the queue than may go on at once: an array holds back its own jobs, but nothing holds back several arrays
together. A sweep that ends leaves its jobs in the queue; the next one finds them there by their name and their comment.
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
"""SLURM's own default allows indices up to this."""
_MOST_RUNS = 10_000
_STOP_LOOKS = 90
"""How often the queue is looked at, a second apart, for jobs to be gone that were cancelled."""
_PAUSES_SECONDS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""How long a controller that cannot answer is waited for, each time that it has to."""
_PASSING = re.compile(
    r"timed out|temporarily|unable to contact|zero bytes|connection (?:refused|reset)|standby mode", re.IGNORECASE
)
"""What SLURM says when it is too busy or restarts; anything else will not pass by waiting."""

T = TypeVar("T")
Row = tuple[PlannedRun, ...]
"""The runs of one job, played one after the other."""


def open_slurm(plan: Plan, cache: Path) -> "SlurmEngine":
    """Use the cluster that this machine submits to."""
    missing = [program for program in _PROGRAMS if not shutil.which(program)]
    if missing:
        raise EngineMissing(
            f"SLURM is not to be had here: there is no {', '.join(missing)}.", hint="Start the sweep on a login node."
        )
    slurm = SlurmEngine(plan=plan, cache=cache, tables=plan.runs[0].folder.path.parent / ".slurm")
    slurm.adopt()
    return slurm


@dataclass
class SlurmEngine:
    """Plays runs as batch jobs."""

    plan: Plan
    cache: Path
    tables: Path
    """The lists of run folders that jobs are given, one row per job."""
    sleep: Callable[[float], None] = time.sleep
    _under_way: dict[tuple[str, int], Row] = field(default_factory=dict[tuple[str, int], Row])
    """By the name of the table and the row."""
    _waiting: list[Row] = field(default_factory=list[Row])
    """Jobs that are handed in when others have ended, in the order of the plan."""
    _dropped: list[Row] = field(default_factory=list[Row])
    """Jobs that were cancelled before they were handed in."""
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
        """There is room for all, to be put together in jobs; how many jobs are in the queue is looked after here."""
        rows = (*self._under_way.values(), *self._waiting)
        return max(0, _MOST_RUNS - sum(map(len, rows)))

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Put alike runs together in jobs, and hand in as many as may be in the queue."""
        for alike in _by_needs(runs):
            self._waiting.extend(map(tuple, _chunks(alike, self._runs_per_job(alike[0]))))
        self._waiting.sort(key=lambda row: self._places[row[0].folder.path])
        self._fill_up()

    def over(self) -> Sequence[JobDone]:
        """The jobs that have left the queue; asked for now and then, for all users share the answer's cost."""
        gone = self._gone()
        self._fill_up()
        dropped, self._dropped = self._dropped, []
        words = "its SLURM job ended before it began; see its output"
        return [JobDone(row, words) for row in (*gone, *dropped)]

    def stop(self) -> None:
        """Have all jobs of this sweep cancelled."""
        self._waiting.clear()
        self._patiently(lambda: _run("scancel", f"--name={self.name}"))
        for _ in range(_STOP_LOOKS):
            # A controller that cannot answer has not forgotten the jobs; whatever it says later, they end.
            with suppress(InfraTrouble):
                if not self._queued():
                    return
            self.sleep(1)

    def close(self) -> None:
        """Jobs go on without the sweep."""

    def adopt(self) -> None:
        """Find the jobs that an earlier sweep of this study left in the queue."""
        by_path = {str(run.folder.path): run for run in self.plan.runs}
        for table, row in self._patiently(self._queued):
            path = self.tables / table
            words = path.read_text("utf-8").splitlines()[row].split("\t") if path.exists() else []
            runs = tuple(by_path[word] for word in words if word in by_path)
            if runs:
                self._under_way[table, row] = runs

    def adopted(self) -> Sequence[PlannedRun]:
        """What an earlier sweep of this study left in the queue."""
        return [run for runs in self._under_way.values() for run in runs]

    @cached_property
    def _places(self) -> dict[Path, int]:
        return {run.folder.path: place for place, run in enumerate(self.plan.runs)}

    def _gone(self) -> list[Row]:
        """The jobs that were in the queue and are no more, if it is time to look."""
        if not self._under_way or time.monotonic() - self._asked < self.plan.study.slurm.poll_seconds:
            return []
        self._asked = time.monotonic()
        try:
            queued = set(self._queued())
        except InfraTrouble:
            return []  # A controller that is too busy to answer; jobs go on meanwhile.
        return [self._under_way.pop(key) for key in [key for key in self._under_way if key not in queued]]

    def _fill_up(self) -> None:
        """Hand in what waits, as far as the cap allows; what was cancelled meanwhile need not wait for its turn."""
        chosen: list[Row] = []
        while self._waiting and len(chosen) < self.parallel - len(self._under_way):
            row = self._waiting.pop(0)
            is_wanted = any(not run.folder.cancelled.exists() for run in row)
            (chosen if is_wanted else self._dropped).append(row)
        for alike in _alike(chosen, lambda row: row[0].needs):
            for array in _chunks(alike, _LARGEST_ARRAY):
                self._submit(array)

    def _submit(self, rows: Sequence[Row]) -> None:
        self.tables.mkdir(parents=True, exist_ok=True)
        table = self.tables / f"{self.plan.study.name}-{time.time_ns()}"
        table.write_text("".join("\t".join(str(run.folder.path) for run in row) + "\n" for row in rows), "utf-8")
        script = "\n".join(self._script(table, rows[0][0], len(rows))) + "\n"
        self._hand_in(script, table.name)
        for number, row in enumerate(rows):
            self._under_way[table.name, number] = row

    def _hand_in(self, script: str, table: str) -> None:
        """Submit, as often as it takes; a controller that did not answer may have taken the jobs all the same."""
        tries = itertools.count()

        def submit() -> None:
            if next(tries) == 0 or table not in {queued for queued, _ in self._queued()}:
                _run("sbatch", "--parsable", given=script)

        self._patiently(submit)

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Ask the controller, again and again while it is too busy to answer."""
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
            # Output of players goes to their run folders; this is for what goes wrong before.
            f"--output={table}.out",
            "--open-mode=append",
            *_wishes(options, wants_gpu=run.needs.wants_gpu),
        ):
            yield f"#SBATCH {option}"
        python = options.python or sys.executable
        # The shell would swallow the signal that asks a job to stop, were it not replaced.
        words = shlex.join([python, "-m", "fmlbench.scheduling.job", str(self.cache), str(table)])
        # Unlike CUDA_VISIBLE_DEVICES, whose numbers begin at 0 in each job where a control group confines its devices,
        # this has the numbers of the machine's device files, which are what candidates are shown.
        yield f'exec {words} "$SLURM_ARRAY_TASK_ID" "$SLURM_JOB_GPUS"'

    def _runs_per_job(self, run: PlannedRun) -> int:
        each = run.cost.seconds
        return self.plan.study.slurm.runs_per_job or (max(1, int(_JOB_SECONDS / each)) if each else 1)

    def _queued(self) -> list[tuple[str, int]]:
        """The jobs of this sweep that wait or run, by table and row."""
        told = _run("squeue", "--noheader", "--array", f"--name={self.name}", "--format=%K %k")
        words = (line.strip().partition(" ") for line in told.splitlines())
        return [(table, int(row)) for row, _, table in words if row.isdecimal()]


def _wishes(options: SlurmOptions, *, wants_gpu: bool) -> Iterator[str]:
    if options.partition:
        yield f"--partition={options.partition}"
    if options.time:
        yield f"--time={options.time}"
    if wants_gpu:
        yield f"--gpus={options.gpus}"
    yield from options.options


def _by_needs(runs: Sequence[PlannedRun]) -> Iterator[list[PlannedRun]]:
    """Runs that take the same and need the same."""
    return _alike(runs, lambda run: (run.spec.task, run.needs))


def _alike(items: Sequence[T], in_what: Callable[[T], object]) -> Iterator[list[T]]:
    groups: dict[object, list[T]] = {}
    for item in items:
        groups.setdefault(in_what(item), []).append(item)
    yield from groups.values()


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _run(*command: str, given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InfraTrouble(f"{command[0]} failed: {done.stderr.strip()}.", hint="Ask SLURM with 'sinfo' how it is.")
    return done.stdout
