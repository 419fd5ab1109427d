"""Carry out a plan: start what is due, look after what is under way, give up on nothing too early.

All that is known about a run is read from its folder, so a sweep can be killed at any instant and started again.
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
"""How long to wait before looking again at a run that somebody else plays."""

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
    """When each run that is not over may be started."""
    _attempts: dict[Path, int] = field(default_factory=dict[Path, int])
    """Of runs under way: how many attempts there had been."""
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
        """Go on until nothing is left to do; return which cap was reached, if one was."""
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
        """Where the sweep stands, as last looked at."""
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
        """What may be started, in the order of the plan: a run that was tried before has kept its place."""
        return (path for path in self.standings if self._due.get(path, math.inf) <= now)

    def _hand_over(self, run: PlannedRun) -> None:
        self._due.pop(run.folder.path, None)
        self._attempts[run.folder.path] = len(read_attempts(run.folder))

    def _put_off(self, now: float) -> None:
        """What is played elsewhere is looked at later; what is over needs no more looking."""
        for path in list(self._due_now(now)):
            state = self.standings[path].state
            if state is JobState.PLAYING:
                self._due[path] = now + _ELSEWHERE_SECONDS
            elif state is not JobState.WAITING:
                del self._due[path]

    def _settle(self, over: JobDone) -> None:
        """A job is under way no more: see what came of its runs, and when to try again."""
        begun = [run for run in over.runs if len(read_attempts(run.folder)) > self._attempts[run.folder.path]]
        for run in over.runs:
            if not begun and not run.folder.cancelled.exists():
                # Without this, jobs that cannot even begin would be started for ever.
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
        """Look at what is under way, and tell."""
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
        # Calibrated seconds are another machine's; a minute of them is enough to learn what they are worth here.
        return expected if since < 60 else expected * elapsed * self.engine.parallel / since

    def _seconds_done(self) -> float:
        """Calibrated seconds of all that is done."""
        return sum((standing.run.cost.seconds or 0.0) * share_done(standing) for standing in self.standings.values())
