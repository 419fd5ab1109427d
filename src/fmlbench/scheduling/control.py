"""Cancel a sweep's runs, and set them free again; by what lies in their folders, wherever they are played."""

from collections.abc import Iterable

from fmlbench.scheduling.attempts import FailuresReset, note
from fmlbench.scheduling.plan import Plan, PlannedRun
from fmlbench.scheduling.sweep_state import JobState, JobStatus


def cancel(standings: Iterable[JobStatus]) -> list[JobStatus]:
    """Have every run stopped that is not over, at the next heartbeat of its player; return them."""
    chosen = [standing for standing in standings if standing.state.is_open]
    for standing in chosen:
        standing.run.folder.cancelled.touch()
    return chosen


def uncancel(runs: Iterable[PlannedRun]) -> None:
    """Let cancelled runs be played again."""
    for run in runs:
        run.folder.cancelled.unlink(missing_ok=True)


def reset_failures(standings: Iterable[JobStatus]) -> list[JobStatus]:
    """Let failed and cancelled runs be tried afresh; return them."""
    chosen = [standing for standing in standings if standing.state in {JobState.FAILED, JobState.CANCELLED}]
    uncancel(standing.run for standing in chosen)
    for standing in chosen:
        note(standing.run.folder, FailuresReset())
    return chosen


def uncancel_plan(plan: Plan) -> None:
    """Starting a sweep is wanting its runs played, whoever cancelled them before."""
    uncancel(run for run in plan.runs if run.folder.cancelled.exists())
