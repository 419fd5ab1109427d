"""What a run will take and cost, before it is started: from the task's calibration and the run's budget."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from fmlbench.core.retests import due_retests
from fmlbench.core.run import RunSpec
from fmlbench.core.task import Task
from fmlbench.models.client import is_free

HARNESS_SECONDS = 0.5
"""What a step takes besides the candidate; docs/endurance.md has the measurement."""

FREE_PROPOSERS = {"mutate", "unchanged", "reference", "scripted"}
"""They ask nobody who would send a bill."""


@dataclass(frozen=True)
class Cost:
    """What a run takes."""

    seconds: float | None
    """None where the task has not been calibrated on this track."""
    dollars: float | None
    """At most; None where the run has no cap on a bill that somebody will send."""


def cost_of(spec: RunSpec, task: Task, *, is_first: bool) -> Cost:
    """What a run takes; the first one of a task and seed also retests the baseline for the others."""
    return Cost(seconds=_seconds(spec, task, is_first=is_first), dollars=_dollars(spec))


def makespan(seconds: Iterable[float], parallel: int) -> float:
    """How long it takes to do some jobs in this order, so many at once."""
    workers = [0.0] * parallel
    for job in seconds:
        heapq.heapreplace(workers, workers[0] + job)
    return max(workers)


def _seconds(spec: RunSpec, task: Task, *, is_first: bool) -> float | None:
    track = task.find_track(spec.track)
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
