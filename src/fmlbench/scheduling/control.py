"""Cancel and uncancel the runs of a sweep through files in their folders, on any engine."""

from collections.abc import Iterable

from fmlbench.scheduling.attempts import FailuresReset, log_attempt
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.sweep_state import JobState, JobStatus


def cancel(jobs: Iterable[JobStatus]) -> list[JobStatus]:
    """Cancel and return all unfinished runs; running ones stop at their next heartbeat."""
    chosen = [job for job in jobs if job.state.is_open]
    for job in chosen:
        job.run.folder.cancelled.touch()
    return chosen


def uncancel(runs: Iterable[PlannedRun]) -> None:
    """Undo the cancellation of runs."""
    for run in runs:
        run.folder.cancelled.unlink(missing_ok=True)


def reset_failures(jobs: Iterable[JobStatus]) -> list[JobStatus]:
    """Reset and return all failed and cancelled runs."""
    chosen = [job for job in jobs if job.state in {JobState.FAILED, JobState.CANCELLED}]
    uncancel(job.run for job in chosen)
    for job in chosen:
        log_attempt(job.run.folder, FailuresReset())
    return chosen


def uncancel_plan(plan: Plan) -> None:
    """Starting a sweep undoes earlier cancellations."""
    uncancel(run for run in plan.runs if run.folder.cancelled.exists())
