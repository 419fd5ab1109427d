"""Where the runs of a sweep stand, as their folders tell it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from fmlbench.core.retests import due_retests
from fmlbench.records.lease import is_known_alive, own_lease
from fmlbench.scheduling.attempts import Tally, read_attempts, tally
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.run_status import RunStatus, read_run_status
from fmlbench.scheduling.study import Retry


class JobState(StrEnum):
    """What is to be done about a run."""

    COMPLETE = "complete"
    PLAYING = "playing"
    WAITING = "waiting"
    FAILED = "failed"
    """Machines failed at it too often, or its log is damaged; it waits for a person."""
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether the run will come to its end if nobody interferes."""
        return self in {JobState.WAITING, JobState.PLAYING}


@dataclass(frozen=True)
class JobStatus:
    """One run: how far it has come, and what became of the attempts at it."""

    run: PlannedRun
    status: RunStatus
    tally: Tally
    state: JobState


def poll(run: PlannedRun, retry: Retry, last: RunStatus | None = None, *, is_under_way: bool = False) -> JobStatus:
    """Where a run stands; ``is_under_way`` if somebody knows that its job has not ended."""
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
    """Where every run of a plan stands."""
    return [poll(run, plan.study.retry) for run in plan.runs]


def _is_played(run: PlannedRun, counted: Tally) -> bool:
    """Whether there is a player, or somebody here who has just started one."""
    if run.folder.is_running:
        return True
    return counted.begun is not None and is_known_alive(counted.begun.carrier, own_lease())


def _state(run: PlannedRun, counted: Tally, retry: Retry) -> JobState:
    if run.folder.cancelled.exists():
        return JobState.CANCELLED
    is_given_up = counted.in_a_row >= retry.failures or (counted.is_refused and counted.in_a_row)
    return JobState.FAILED if is_given_up else JobState.WAITING


def share_done(standing: JobStatus) -> float:
    """How much of a run is behind it, from 0 to 1."""
    run = standing.run
    # A step counts twice, for its hidden test; a pending proposal and the end of the search count once each.
    retests = len(list(due_retests(run.task, run.spec.retest_seeds, winner=1)))
    due = 2 * (run.spec.budget.steps + 1) + 1 + retests
    return 1.0 if standing.state is JobState.COMPLETE else min(1.0, standing.status.done / due)


def seconds_left(standings: Iterable[JobStatus]) -> list[float] | None:
    """How long each run that is not over will still take, as calibrated; None if that is known of none of them."""
    still_open = [standing for standing in standings if standing.state.is_open]
    known = [
        standing.run.cost.seconds * (1 - share_done(standing))
        for standing in still_open
        if standing.run.cost.seconds is not None
    ]
    return known if known or not still_open else None
