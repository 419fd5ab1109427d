"""Where the runs of a sweep stand, as their folders tell it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean

from fmlbench.core.record import Record
from fmlbench.records.lease import holder_of, is_known_dead, me
from fmlbench.scheduling.attempts import Tally, read_attempts, tally
from fmlbench.scheduling.glances import Glance, glance_at
from fmlbench.scheduling.planning import Plan, PlannedRun
from fmlbench.scheduling.study import Retry


class State(StrEnum):
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
        return self in {State.WAITING, State.PLAYING}


@dataclass(frozen=True)
class Standing:
    """One run: how far it has come, and what became of the attempts at it."""

    run: PlannedRun
    glance: Glance
    tally: Tally
    state: State


class Group(Record):
    """The runs of one agent on one task."""

    task: str
    agent: str
    runs: int
    states: dict[State, int]
    steps: int
    steps_due: int
    dollars: float
    outcomes: dict[str, int]
    """How the steps ended."""
    improvement: float | None
    """On the hidden test: the mean over complete runs that have a score."""
    n: int
    """How many runs that is the mean of."""


class Failed(Record):
    """A run that nobody tries any more."""

    run: str
    reason: str


class Status(Record):
    """A sweep on one page."""

    study: str
    runs: int
    states: dict[State, int]
    steps: int
    steps_due: int
    hours: float
    """Of proposing and experiments, over all runs."""
    dollars: float
    unpriced_steps: int
    """Steps that are not in the dollars, for nobody knows their price."""
    seconds_left: float | None
    """At this many runs at once, as far as tasks are calibrated; None before anything can be told."""
    failures: dict[str, int]
    """What machines did, by class; never counted against an agent."""
    failed: tuple[Failed, ...]
    groups: tuple[Group, ...]


def look_at(run: PlannedRun, retry: Retry, last: Glance | None = None, *, is_under_way: bool = False) -> Standing:
    """Where a run stands; ``is_under_way`` if somebody knows that its job has not ended."""
    glance = glance_at(run, last)
    counted = tally(read_attempts(run.folder))
    if glance.damage:
        return Standing(run, glance, replace(counted, reason=glance.damage), State.FAILED)
    if glance.is_complete:
        return Standing(run, glance, counted, State.COMPLETE)
    if is_under_way or _is_played(run, counted):
        return Standing(run, glance, counted, State.PLAYING)
    counted.look(glance.done)
    return Standing(run, glance, counted, _state(run, counted, retry))


def look_at_all(plan: Plan) -> list[Standing]:
    """Where every run of a plan stands."""
    return [look_at(run, plan.study.retry) for run in plan.runs]


def _is_played(run: PlannedRun, counted: Tally) -> bool:
    """Whether there is a player, or somebody here who has just started one."""
    if run.folder.lock.exists() and holder_of(run.folder.path):
        return True
    observer = me()
    begun = counted.begun
    return begun is not None and begun.carrier.boot == observer.boot and not is_known_dead(begun.carrier, observer)


def _state(run: PlannedRun, counted: Tally, retry: Retry) -> State:
    if run.folder.cancelled.exists():
        return State.CANCELLED
    is_given_up = counted.in_a_row >= retry.failures or (counted.is_refused and counted.in_a_row)
    return State.FAILED if is_given_up else State.WAITING


def share_done(standing: Standing) -> float:
    """How much of a run is behind it, from 0 to 1."""
    spec = standing.run.spec
    # A step counts twice, for its hidden test; a pending proposal and the end of the search count once each.
    due = 2 * (spec.budget.steps + 1) + 1 + 2 * spec.retest_seeds
    return 1.0 if standing.state is State.COMPLETE else min(1.0, standing.glance.done / due)


def seconds_left(standing: Standing) -> float:
    """How long a run will still take, as calibrated; nothing where it is over or not known."""
    return (standing.run.cost.seconds or 0.0) * (1 - share_done(standing)) if standing.state.is_open else 0.0


def status_of(plan: Plan, standings: Sequence[Standing], seconds_left: float | None = None) -> Status:
    """Sum a sweep up."""
    groups: dict[tuple[str, str], list[Standing]] = {}
    for standing in standings:
        spec = standing.run.spec
        groups.setdefault((standing.run.task.name, spec.agent.slug), []).append(standing)
    failures: Counter[str] = Counter()
    for standing in standings:
        failures.update({str(ending): count for ending, count in standing.tally.failures.items()})
    return Status(
        study=plan.study.name,
        runs=len(standings),
        states=_states(standings),
        steps=sum(standing.glance.steps for standing in standings),
        steps_due=sum(standing.run.spec.budget.steps for standing in standings),
        hours=sum(standing.glance.seconds for standing in standings) / 3600,
        dollars=sum(standing.glance.dollars for standing in standings),
        unpriced_steps=sum(standing.glance.unpriced for standing in standings),
        seconds_left=seconds_left,
        failures=dict(failures.most_common()),
        failed=tuple(
            Failed(run=standing.run.folder.path.name, reason=standing.tally.reason)
            for standing in standings
            if standing.state is State.FAILED
        ),
        groups=tuple(_group(task, agent, members) for (task, agent), members in groups.items()),
    )


def _group(task: str, agent: str, members: Sequence[Standing]) -> Group:
    improvements = [value for member in members if (value := member.glance.improvement) is not None]
    outcomes: Counter[str] = Counter()
    for member in members:
        outcomes.update(member.glance.outcomes)
    return Group(
        task=task,
        agent=agent,
        runs=len(members),
        states=_states(members),
        steps=sum(member.glance.steps for member in members),
        steps_due=sum(member.run.spec.budget.steps for member in members),
        dollars=sum(member.glance.dollars for member in members),
        outcomes=dict(outcomes.most_common()),
        improvement=fmean(improvements) if improvements else None,
        n=len(improvements),
    )


def _states(standings: Iterable[Standing]) -> dict[State, int]:
    counted = Counter(standing.state for standing in standings)
    return {state: counted[state] for state in State}
