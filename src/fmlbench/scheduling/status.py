"""A sweep on one page: how far it is, what it has cost, what went wrong, what came of it."""

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
    """How the steps ended."""
    improvement: float | None
    """On the hidden test: the mean over complete runs that have a score."""
    transfer: float | None
    """The same on the tasks' siblings."""
    n: int
    """How many runs the improvement is the mean of."""


class Failed(Record):
    """A run that nobody tries any more."""

    run: str
    reason: str


class Status(Record):
    """A sweep on one page."""

    study: str
    runs: int
    states: dict[JobState, int]
    steps: int
    steps_due: int
    hours: float
    """Of proposing, experiments, hidden exams and retests, over all runs; what `caps.hours` counts."""
    dollars: float
    unpriced_steps: int
    """Steps that are not in the dollars, for nobody knows their price."""
    seconds_left: float | None
    """At this many runs at once, as far as tasks are calibrated; None where no task of what is left is."""
    failures: dict[str, int]
    """What machines did, by class; never counted against an agent."""
    failed: tuple[Failed, ...]
    groups: tuple[Group, ...]


def status_of(plan: Plan, standings: Sequence[JobStatus], seconds_left: float | None = None) -> Status:
    """Sum a sweep up."""
    groups: dict[tuple[str, str], list[JobStatus]] = {}
    agents = agent_names([standing.run.spec.agent for standing in standings])
    for standing, agent in zip(standings, agents, strict=True):
        groups.setdefault((standing.run.task.name, agent), []).append(standing)
    failures: Counter[str] = Counter()
    for standing in standings:
        failures.update({str(ending): count for ending, count in standing.tally.failures.items()})
    return Status(
        study=plan.study.name,
        runs=len(standings),
        states=_states(standings),
        steps=sum(standing.status.steps for standing in standings),
        steps_due=sum(standing.run.spec.budget.steps for standing in standings),
        hours=sum(standing.status.played_seconds for standing in standings) / 3600,
        dollars=sum(standing.status.dollars for standing in standings),
        unpriced_steps=sum(standing.status.unpriced for standing in standings),
        seconds_left=seconds_left,
        failures=dict(failures.most_common()),
        failed=tuple(
            Failed(run=standing.run.folder.path.name, reason=standing.tally.reason)
            for standing in standings
            if standing.state is JobState.FAILED
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


def _states(standings: Iterable[JobStatus]) -> dict[JobState, int]:
    counted = Counter(standing.state for standing in standings)
    return {state: counted[state] for state in JobState}
