"""The time and cost of a run: estimated from the task's calibration before it, and read from its logs after it.

The time in the logs excludes pauses between stop and resume, and work lost when a process was killed.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from operator import attrgetter

from fmlbench.core.run import RunSpec, due_retests
from fmlbench.core.steps import usages_of
from fmlbench.core.task import Task
from fmlbench.models.connection import is_free
from fmlbench.records.events import Event, NoteMade, Retested, StepFinished, TestScored

HARNESS_SECONDS = 0.5
"""Overhead of a step besides the candidate; measured in docs/endurance.md."""

FREE_PROPOSERS = {"mutate", "unchanged", "reference", "scripted"}
"""Proposers that cost nothing."""

_SEALED = (TestScored, Retested)


@dataclass(frozen=True)
class Cost:
    """The estimated cost of a run."""

    seconds: float | None
    """None if the task is not calibrated on this track."""
    dollars: float | None
    """Upper bound; None if the run costs money and has no cap."""


def cost_of(spec: RunSpec, task: Task, *, is_first: bool) -> Cost:
    """Estimate a run; the first run of a task and seed also retests the baseline for the others."""
    return Cost(seconds=_seconds(spec, task, is_first=is_first), dollars=_dollars(spec))


def makespan(seconds: Iterable[float], parallel: int) -> float:
    """The total time of jobs executed in this order by ``parallel`` workers."""
    workers = [0.0] * parallel
    for job in seconds:
        heapq.heapreplace(workers, workers[0] + job)
    return max(workers)


def _seconds(spec: RunSpec, task: Task, *, is_first: bool) -> float | None:
    track = task.track(spec.track, smoke=spec.smoke)
    if track is None or track.calibration is None:
        return None
    each = track.calibration.step_cpu_seconds / track.threads + HARNESS_SECONDS
    search = spec.budget.steps * each
    if spec.budget.hours is not None:
        search = min(search, 3600 * spec.budget.hours)
    retests = sum(is_first or key.index > 0 for key in due_retests(task, spec.retest_seeds, winner=1))
    return search + each * (1 + retests)


def _dollars(spec: RunSpec) -> float | None:
    agent = spec.agent
    costs_nothing = is_free(agent.model) if agent.model else agent.proposer in FREE_PROPOSERS
    return 0.0 if costs_nothing else spec.budget.dollars


def execution_seconds_of(events: Sequence[Event]) -> float:
    """The execution time of the work in these events, in seconds."""
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    notes = [event.note for event in events if isinstance(event, NoteMade)]
    tried = {step.index: step.evaluation.seconds for step in steps}
    proposing = sum(usage.seconds for usage in usages_of(steps, notes))
    return proposing + sum(tried.values()) + _sealed_seconds(events, tried)


def _sealed_seconds(events: Sequence[Event], tried: dict[int, float]) -> float:
    """The time of hidden exams and retests.

    An evaluation records only the time of its exam. A retest also trains, as does a hidden exam after a resume; two
    retests run in parallel, and the baseline's may come from the cache with the times of another run. So the time since
    the previous event is counted, up to the time of the exam plus the step; the rest was a pause.
    """
    total = 0.0
    for before, event in pairwise(sorted(events, key=attrgetter("at"))):
        if isinstance(event, _SEALED):
            longest = event.evaluation.seconds + tried.get(event.index, 0.0)
            total += min(_passed(before, event), longest)
    return total


def _passed(before: Event, after: Event) -> float:
    return (datetime.fromisoformat(after.at) - datetime.fromisoformat(before.at)).total_seconds()
