"""Execute a plan: start runs, poll them, and retry after failures.

The state of a run is read only from its folder, so a sweep can be killed at any instant and started again.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, log_attempt, read_attempts
from fmlbench.scheduling.cost import makespan
from fmlbench.scheduling.engines.engine import Engine, JobDone
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.run_status import progress_of
from fmlbench.scheduling.sweep_status import (
    JobState,
    JobStatus,
    Status,
    poll,
    poll_all,
    seconds_left,
    share_done,
    status_of,
)

_TICK_SECONDS = 0.2
_POLL_SECONDS = 2.0
_ELSEWHERE_SECONDS = 5.0
"""Pause before polling a run again that another process executes."""

Watch = Callable[[Status], None]


@dataclass
class Sweep:
    """One sweep on one engine."""

    plan: Plan
    engine: Engine
    watch: Watch = lambda _: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jobs: dict[Path, JobStatus] = field(init=False)
    _due: dict[Path, float] = field(init=False)
    """The earliest start time of each unfinished run."""
    _attempts: dict[Path, int] = field(default_factory=dict[Path, int])
    """The number of logged attempt events of each running run when it was started."""
    _polled: float = field(default=-_POLL_SECONDS, init=False)
    _began: float = field(init=False)
    _done_before: float = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = {job.run.folder.path: job for job in poll_all(self.plan)}
        self._due = {path: 0.0 for path, job in self.jobs.items() if job.state.is_open}
        for run in self.engine.recovered():
            self._mark_started(run)
        self._began, self._done_before = self.clock(), self._seconds_done()

    def run(self) -> str:
        """Run until no run is left; return the cap that was reached, or an empty string."""
        while self._due or self._attempts:
            for over in self.engine.finished():
                self._handle_end(over)
            if self.clock() - self._polled >= _POLL_SECONDS:
                self._poll_running()
            if cap := self._reached_cap():
                self.engine.stop()
                return cap
            self._start()
            self.sleep(_TICK_SECONDS)
        self.watch(self.status())
        return ""

    def status(self) -> Status:
        """The status of the sweep at the last poll."""
        return status_of(self.plan, list(self.jobs.values()), self._seconds_left())

    def _start(self) -> None:
        room = self.engine.room()
        now = self.clock()
        chosen: list[PlannedRun] = []
        for path in self._due_now(now):
            if len(chosen) >= room:
                break
            self._poll(path)
            if self.jobs[path].state is JobState.WAITING:
                chosen.append(self.jobs[path].run)
        for run in chosen:
            self._mark_started(run)
        self._delay(now)
        if chosen:
            self.engine.start(chosen)

    def _due_now(self, now: float) -> Iterator[Path]:
        """The runs that may start now, in the order of the plan, retries included."""
        return (path for path in self.jobs if self._due.get(path, math.inf) <= now)

    def _mark_started(self, run: PlannedRun) -> None:
        self._due.pop(run.folder.path, None)
        self._attempts[run.folder.path] = len(read_attempts(run.folder))

    def _delay(self, now: float) -> None:
        """Delay runs that execute elsewhere, and drop runs that are finished."""
        for path in list(self._due_now(now)):
            state = self.jobs[path].state
            if state is JobState.RUNNING:
                self._due[path] = now + _ELSEWHERE_SECONDS
            elif state is not JobState.WAITING:
                del self._due[path]

    def _handle_end(self, over: JobDone) -> None:
        """Handle the end of a job: update its runs and schedule retries."""
        begun = [run for run in over.runs if len(read_attempts(run.folder)) > self._attempts[run.folder.path]]
        for run in over.runs:
            if not begun and not run.folder.cancelled.exists():
                # Without this, jobs that cannot start would be retried forever.
                log_attempt(run.folder, Began(done=progress_of(run.folder)))
                log_attempt(
                    run.folder,
                    Ended(ending=AttemptEnd.LOST, reason=over.error or "the job ended before the run started"),
                )
            path = run.folder.path
            del self._attempts[path]
            self._poll(path)
            if self.jobs[path].state.is_open:
                self._due[path] = self.clock() + self._pause(self.jobs[path])

    def _pause(self, job: JobStatus) -> float:
        retry = self.plan.study.retry
        if not job.tally.consecutive_failures:
            return 0.0
        return min(retry.longest_pause_seconds, retry.pause_seconds * 2.0 ** (job.tally.consecutive_failures - 1))

    def _poll(self, path: Path) -> None:
        last = self.jobs[path]
        self.jobs[path] = poll(last.run, self.plan.study.retry, last.status, is_under_way=path in self._attempts)

    def _poll_running(self) -> None:
        """Poll the running runs and report the status."""
        self._polled = self.clock()
        for path in self._attempts:
            self._poll(path)
        self.watch(self.status())

    def _reached_cap(self) -> str:
        caps = self.plan.study.caps
        if caps.dollars is None and caps.hours is None:
            return ""
        statuses = [job.status for job in self.jobs.values()]
        if caps.dollars is not None and sum(status.dollars for status in statuses) >= caps.dollars:
            return f"the cap of ${caps.dollars:g} is reached"
        if caps.hours is not None and sum(status.execution_seconds for status in statuses) >= 3600 * caps.hours:
            return f"the cap of {caps.hours:g} hours is reached"
        return ""

    def _seconds_left(self) -> float | None:
        left = seconds_left(self.jobs.values())
        if left is None:
            return None
        since = self._seconds_done() - self._done_before
        elapsed = self.clock() - self._began
        expected = makespan(left, self.engine.parallel)
        # Calibrated times come from another machine; after a minute of work the estimate is rescaled to this one.
        return expected if since < 60 else expected * elapsed * self.engine.parallel / since

    def _seconds_done(self) -> float:
        """The calibrated time of all finished work."""
        return sum((job.run.cost.seconds or 0.0) * share_done(job) for job in self.jobs.values())
