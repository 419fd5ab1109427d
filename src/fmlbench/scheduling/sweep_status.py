"""The status of a sweep, read from the folders of its runs; cancel and reset runs on any engine."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean

from fmlbench.core.record import Record
from fmlbench.core.run import agent_names, due_retests
from fmlbench.records.lease import is_known_alive, own_lease
from fmlbench.scheduling.attempts import FailuresReset, Tally, log_attempt, read_attempts, tally
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


class Group(Record):
    """The runs of one agent on one task."""

    task: str
    agent: str
    runs: int
    states: dict[JobState, int]
    steps: int
    steps_due: int
    dollars: float
    outcomes: dict[str, int]
    """Number of steps by outcome."""
    improvement: float | None
    """On the hidden test: the mean over complete runs with a score."""
    transfer: float | None
    """The same on the tasks' siblings."""
    n: int
    """Number of runs in the mean improvement."""


class Failed(Record):
    """A run that is not retried."""

    run: str
    reason: str


class Status(Record):
    """The status of a sweep."""

    study: str
    runs: int
    states: dict[JobState, int]
    steps: int
    steps_due: int
    hours: float
    """Execution time of all runs: proposing, experiments, hidden exams and retests; limited by `caps.hours`."""
    dollars: float
    unpriced_steps: int
    """Steps with unknown price, not included in the dollars."""
    seconds_left: float | None
    """Estimate over calibrated tasks; None if no remaining task is calibrated."""
    failures: dict[str, int]
    """Number of infrastructure failures by kind; they do not count against agents."""
    failed: tuple[Failed, ...]
    groups: tuple[Group, ...]


def status_of(plan: Plan, jobs: Sequence[JobStatus], seconds_left: float | None = None) -> Status:
    """Summarise a sweep."""
    groups: dict[tuple[str, str], list[JobStatus]] = {}
    agents = agent_names([job.run.spec.agent for job in jobs])
    for job, agent in zip(jobs, agents, strict=True):
        groups.setdefault((job.run.task.name, agent), []).append(job)
    failures: Counter[str] = Counter()
    for job in jobs:
        failures.update({str(ending): count for ending, count in job.tally.failures.items()})
    return Status(
        study=plan.study.name,
        runs=len(jobs),
        states=_states(jobs),
        steps=sum(job.status.steps for job in jobs),
        steps_due=sum(job.run.spec.budget.steps for job in jobs),
        hours=sum(job.status.execution_seconds for job in jobs) / 3600,
        dollars=sum(job.status.dollars for job in jobs),
        unpriced_steps=sum(job.status.unpriced for job in jobs),
        seconds_left=seconds_left,
        failures=dict(failures.most_common()),
        failed=tuple(
            Failed(run=job.run.folder.path.name, reason=job.tally.reason)
            for job in jobs
            if job.state is JobState.FAILED
        ),
        groups=tuple(_group(task, agent, members) for (task, agent), members in groups.items()),
    )


def _group(task: str, agent: str, members: Sequence[JobStatus]) -> Group:
    improvements = [value for member in members if (value := member.status.improvement) is not None]
    transfers = [value for member in members if (value := member.status.transfer) is not None]
    outcomes: Counter[str] = Counter()
    for member in members:
        outcomes.update(member.status.outcomes)
    return Group(
        task=task,
        agent=agent,
        runs=len(members),
        states=_states(members),
        steps=sum(member.status.steps for member in members),
        steps_due=sum(member.run.spec.budget.steps for member in members),
        dollars=sum(member.status.dollars for member in members),
        outcomes=dict(outcomes.most_common()),
        improvement=fmean(improvements) if improvements else None,
        transfer=fmean(transfers) if transfers else None,
        n=len(improvements),
    )


def _states(jobs: Iterable[JobStatus]) -> dict[JobState, int]:
    counted = Counter(job.state for job in jobs)
    return {state: counted[state] for state in JobState}


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
