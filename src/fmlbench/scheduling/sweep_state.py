"""The state of a sweep's runs, read from their folders."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from fmlbench.core.retests import due_retests
from fmlbench.records.lease import is_known_alive, me
from fmlbench.scheduling.attempts import Tally, read_attempts, tally
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.run_status import RunStatus, read_run_status
from fmlbench.scheduling.study import Retry


class JobState(StrEnum):
    """The state of a run in a sweep."""

    COMPLETE = "complete"
    PLAYING = "playing"
    WAITING = "waiting"
    FAILED = "failed"
    """Too many infrastructure failures, or a damaged log; the user has to act."""
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether the sweep will still execute the run."""
        return self in {JobState.WAITING, JobState.PLAYING}


@dataclass(frozen=True)
class JobStatus:
    """One run of a sweep: its progress, its attempts and its state."""

    run: PlannedRun
    status: RunStatus
    tally: Tally
    state: JobState


def poll(run: PlannedRun, retry: Retry, last: RunStatus | None = None, *, is_under_way: bool = False) -> JobStatus:
    """Read the state of a run; ``is_under_way`` if the engine says that its job has not ended."""
    status = read_run_status(run.folder, run.task, last)
    counted = tally(read_attempts(run.folder))
    if status.damage:
        return JobStatus(run, status, replace(counted, reason=status.damage), JobState.FAILED)
    if status.is_complete:
        return JobStatus(run, status, counted, JobState.COMPLETE)
    if _is_played(run, counted):
        return JobStatus(run, status, counted, JobState.PLAYING)
    if is_under_way:
        return JobStatus(run, status, counted, JobState.WAITING)
    counted.look(status.done)
    return JobStatus(run, status, counted, _state(run, counted, retry))


def poll_all(plan: Plan) -> list[JobStatus]:
    """Read the state of every run of a plan."""
    return [poll(run, plan.study.retry) for run in plan.runs]


def _is_played(run: PlannedRun, counted: Tally) -> bool:
    """Whether a process executes the run, or a live process has just started one."""
    if run.folder.is_played:
        return True
    return counted.begun is not None and is_known_alive(counted.begun.carrier, me())


def _state(run: PlannedRun, counted: Tally, retry: Retry) -> JobState:
    if run.folder.cancelled.exists():
        return JobState.CANCELLED
    is_given_up = counted.in_a_row >= retry.failures or (counted.is_refused and counted.in_a_row)
    return JobState.FAILED if is_given_up else JobState.WAITING


def share_done(standing: JobStatus) -> float:
    """The finished share of a run, from 0 to 1."""
    run = standing.run
    # A step counts twice, for its hidden test; a pending proposal and the end of the search count once each.
    retests = len(list(due_retests(run.task, run.spec.retest_seeds, winner=1)))
    due = 2 * (run.spec.budget.steps + 1) + 1 + retests
    return 1.0 if standing.state is JobState.COMPLETE else min(1.0, standing.status.done / due)


def seconds_left(standings: Iterable[JobStatus]) -> list[float] | None:
    """The calibrated time left of each unfinished run; None if none of them is calibrated."""
    still_open = [standing for standing in standings if standing.state.is_open]
    known = [
        standing.run.cost.seconds * (1 - share_done(standing))
        for standing in still_open
        if standing.run.cost.seconds is not None
    ]
    return known if known or not still_open else None
