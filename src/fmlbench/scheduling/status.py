"""The status of a sweep: progress, cost, failures and results."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from fmlbench.core.record import Record
from fmlbench.core.run import agent_names
from fmlbench.scheduling.plan import Plan
from fmlbench.scheduling.sweep_state import JobState, JobStatus


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
