"""The state of a sweep's runs, read from their folders."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from fmlbench.core.run import due_retests
from fmlbench.records.lease import is_known_alive, own_lease
from fmlbench.scheduling.attempts import Tally, read_attempts, tally
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.run_status import RunStatus, read_run_status
from fmlbench.scheduling.study import Retry


class JobState(StrEnum):
    """The state of a run in a sweep."""

    COMPLETE = "complete"
    RUNNING = "running"
    WAITING = "waiting"
    FAILED = "failed"
    """Too many infrastructure failures, or a damaged log; the user has to act."""
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether the sweep will still execute the run."""
        return self in {JobState.WAITING, JobState.RUNNING}


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
        return JobStatus(run, status, counted, JobState.RUNNING)
    if is_under_way:
        return JobStatus(run, status, counted, JobState.WAITING)
    counted.update(status.done)
    return JobStatus(run, status, counted, _state(run, counted, retry))


def poll_all(plan: Plan) -> list[JobStatus]:
    """Read the state of every run of a plan."""
    return [poll(run, plan.study.retry) for run in plan.runs]


def _is_played(run: PlannedRun, counted: Tally) -> bool:
    """Whether a process executes the run, or a live process has just started one."""
    if run.folder.is_running:
        return True
    return counted.open_attempt is not None and is_known_alive(counted.open_attempt.started_by, own_lease())


def _state(run: PlannedRun, counted: Tally, retry: Retry) -> JobState:
    if run.folder.cancelled.exists():
        return JobState.CANCELLED
    is_given_up = counted.consecutive_failures >= retry.failures or (
        counted.is_refused and counted.consecutive_failures
    )
    return JobState.FAILED if is_given_up else JobState.WAITING


def share_done(job: JobStatus) -> float:
    """The finished share of a run, from 0 to 1."""
    run = job.run
    # A step counts twice, for its hidden test; a pending proposal and the end of the search count once each.
    retests = len(list(due_retests(run.task, run.spec.retest_seeds, winner=1)))
    due = 2 * (run.spec.budget.steps + 1) + 1 + retests
    return 1.0 if job.state is JobState.COMPLETE else min(1.0, job.status.done / due)


def seconds_left(jobs: Iterable[JobStatus]) -> list[float] | None:
    """The calibrated time left of each unfinished run; None if none of them is calibrated."""
    still_open = [job for job in jobs if job.state.is_open]
    known = [job.run.cost.seconds * (1 - share_done(job)) for job in still_open if job.run.cost.seconds is not None]
    return known if known or not still_open else None
