"""Execute a plan: start runs, poll them, and retry after failures.

The state of a run is read only from its folder, so a sweep can be killed at any instant and started again.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, note, read_attempts
from fmlbench.scheduling.engines.engine import Engine, JobDone
from fmlbench.scheduling.estimates import makespan
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.run_status import progress_of
from fmlbench.scheduling.status import Status, status_of
from fmlbench.scheduling.sweep_state import JobState, JobStatus, poll, poll_all, seconds_left, share_done

_TICK_SECONDS = 0.2
_LOOK_SECONDS = 2.0
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
    standings: dict[Path, JobStatus] = field(init=False)
    _due: dict[Path, float] = field(init=False)
    """The earliest start time of each unfinished run."""
    _attempts: dict[Path, int] = field(default_factory=dict[Path, int])
    """The number of logged attempt events of each running run when it was started."""
    _looked: float = field(default=-_LOOK_SECONDS, init=False)
    _began: float = field(init=False)
    _done_before: float = field(init=False)

    def __post_init__(self) -> None:
        self.standings = {standing.run.folder.path: standing for standing in poll_all(self.plan)}
        self._due = {path: 0.0 for path, standing in self.standings.items() if standing.state.is_open}
        for run in self.engine.adopted():
            self._hand_over(run)
        self._began, self._done_before = self.clock(), self._seconds_done()

    def run(self) -> str:
        """Run until no run is left; return the cap that was reached, or an empty string."""
        while self._due or self._attempts:
            for over in self.engine.over():
                self._settle(over)
            if self.clock() - self._looked >= _LOOK_SECONDS:
                self._look_around()
            if cap := self._reached_cap():
                self.engine.stop()
                return cap
            self._start()
            self.sleep(_TICK_SECONDS)
        self.watch(self.status())
        return ""

    def status(self) -> Status:
        """The status of the sweep at the last poll."""
        return status_of(self.plan, list(self.standings.values()), self._seconds_left())

    def _start(self) -> None:
        room = self.engine.room()
        now = self.clock()
        chosen: list[PlannedRun] = []
        for path in self._due_now(now):
            if len(chosen) >= room:
                break
            self._look(path)
            if self.standings[path].state is JobState.WAITING:
                chosen.append(self.standings[path].run)
        for run in chosen:
            self._hand_over(run)
        self._put_off(now)
        if chosen:
            self.engine.start(chosen)

    def _due_now(self, now: float) -> Iterator[Path]:
        """The runs that may start now, in the order of the plan, retries included."""
        return (path for path in self.standings if self._due.get(path, math.inf) <= now)

    def _hand_over(self, run: PlannedRun) -> None:
        self._due.pop(run.folder.path, None)
        self._attempts[run.folder.path] = len(read_attempts(run.folder))

    def _put_off(self, now: float) -> None:
        """Delay runs that execute elsewhere, and drop runs that are finished."""
        for path in list(self._due_now(now)):
            state = self.standings[path].state
            if state is JobState.PLAYING:
                self._due[path] = now + _ELSEWHERE_SECONDS
            elif state is not JobState.WAITING:
                del self._due[path]

    def _settle(self, over: JobDone) -> None:
        """Handle the end of a job: update its runs and schedule retries."""
        begun = [run for run in over.runs if len(read_attempts(run.folder)) > self._attempts[run.folder.path]]
        for run in over.runs:
            if not begun and not run.folder.cancelled.exists():
                # Without this, jobs that cannot start would be retried forever.
                note(run.folder, Began(done=progress_of(run.folder)))
                note(run.folder, Ended(ending=AttemptEnd.LOST, reason=over.words or "its job ended before it began"))
            path = run.folder.path
            del self._attempts[path]
            self._look(path)
            if self.standings[path].state.is_open:
                self._due[path] = self.clock() + self._pause(self.standings[path])

    def _pause(self, standing: JobStatus) -> float:
        retry = self.plan.study.retry
        if not standing.tally.in_a_row:
            return 0.0
        return min(retry.longest_pause_seconds, retry.pause_seconds * 2.0 ** (standing.tally.in_a_row - 1))

    def _look(self, path: Path) -> None:
        last = self.standings[path]
        self.standings[path] = poll(last.run, self.plan.study.retry, last.status, is_under_way=path in self._attempts)

    def _look_around(self) -> None:
        """Poll the running runs and report the status."""
        self._looked = self.clock()
        for path in self._attempts:
            self._look(path)
        self.watch(self.status())

    def _reached_cap(self) -> str:
        caps = self.plan.study.caps
        if caps.dollars is None and caps.hours is None:
            return ""
        statuses = [standing.status for standing in self.standings.values()]
        if caps.dollars is not None and sum(status.dollars for status in statuses) >= caps.dollars:
            return f"the cap of ${caps.dollars:g} is reached"
        if caps.hours is not None and sum(status.played_seconds for status in statuses) >= 3600 * caps.hours:
            return f"the cap of {caps.hours:g} hours is reached"
        return ""

    def _seconds_left(self) -> float | None:
        left = seconds_left(self.standings.values())
        if left is None:
            return None
        since = self._seconds_done() - self._done_before
        elapsed = self.clock() - self._began
        expected = makespan(left, self.engine.parallel)
        # Calibrated times come from another machine; after a minute of work the estimate is rescaled to this one.
        return expected if since < 60 else expected * elapsed * self.engine.parallel / since

    def _seconds_done(self) -> float:
        """The calibrated time of all finished work."""
        return sum((standing.run.cost.seconds or 0.0) * share_done(standing) for standing in self.standings.values())
