"""Estimate the time and cost of a run from the task's calibration and the run's budget."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from fmlbench.core.run import RunSpec, due_retests
from fmlbench.core.task import Task
from fmlbench.models.connection import is_free

HARNESS_SECONDS = 0.5
"""Overhead of a step besides the candidate; measured in docs/endurance.md."""

FREE_PROPOSERS = {"mutate", "unchanged", "reference", "scripted"}
"""Proposers that cost nothing."""


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
