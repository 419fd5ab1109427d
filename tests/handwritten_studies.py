"""Studies and runs written by hand, and an engine that plays them as a test says."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.core.run import Budget
from fmlbench.records.events import Event, Retested, TestScored
from fmlbench.records.log import EventLog
from fmlbench.scheduling.attempts import AttemptEnd, Began, Ended, log_attempt
from fmlbench.scheduling.engines.engine import JobDone
from fmlbench.scheduling.plan import Plan, PlannedRun, lay_out, make_plan
from fmlbench.scheduling.run_status import progress_of
from fmlbench.scheduling.study import Retry, Study, StudyAgent, SweepCaps
from tests.handwritten_runs import baseline, complete_run, started


def study(
    *,
    tasks: Sequence[str] = ("toy",),
    agents: Sequence[str] = ("greedy",),
    seeds: int = 2,
    caps: SweepCaps | None = None,
    retry: Retry | None = None,
) -> Study:
    return Study(
        name="test",
        tasks=tuple(tasks),
        agents=tuple(StudyAgent(name=name) for name in agents),
        seeds=tuple(range(seeds)),
        budget=Budget(steps=2),
        caps=caps or SweepCaps(),
        retry=retry or Retry(pause_seconds=10),
    )


def planned(wanted: Study, runs: Path) -> Plan:
    plan = make_plan(wanted, runs)
    lay_out(plan)
    return plan


def log(run: PlannedRun, events: Sequence[Event]) -> None:
    with EventLog(run.folder.events) as public, EventLog(run.folder.sealed) as sealed:
        for event in events:
            (sealed if isinstance(event, TestScored | Retested) else public).append(event)


def complete(run: PlannedRun) -> AttemptEnd:
    """Play a run to its end: 0.5 on validation becomes 0.7, and 0.48 on the retests 0.66."""
    log(run, complete_run(run.spec) if progress_of(run.folder) == 0 else complete_run(run.spec)[2:])
    return AttemptEnd.COMPLETE


def begin(run: PlannedRun) -> AttemptEnd:
    """Get as far as the baseline, then die."""
    log(run, [started(run.spec), baseline(0.5)])
    return AttemptEnd.KILLED


Deed = Callable[[PlannedRun], AttemptEnd]


@dataclass
class Puppets:
    """An engine whose runners do as they are told, one deed per attempt, the last one for ever."""

    deeds: dict[int, Sequence[Deed]]
    """By the seed of the run."""
    parallel: int = 2
    started: list[int] = field(default_factory=list[int])
    is_stopped: bool = False
    _over: list[JobDone] = field(default_factory=list[JobDone])

    def recovered(self) -> Sequence[PlannedRun]:
        return []

    def room(self) -> int:
        return self.parallel - len(self._over)

    def start(self, runs: Sequence[PlannedRun]) -> None:
        assert len(runs) <= self.room()
        for run in runs:
            seed = run.spec.seed
            deed = [*itertools.islice(self.deeds[seed], self.started.count(seed) + 1)][-1]
            self.started.append(seed)
            log_attempt(run.folder, Began(done=progress_of(run.folder)))
            log_attempt(run.folder, Ended(ending=deed(run), reason="as told"))
            self._over.append(JobDone((run,)))

    def finished(self) -> Sequence[JobDone]:
        over, self._over = self._over, []
        return over

    def stop(self) -> None:
        self.is_stopped = True

    def close(self) -> None:
        self.stop()


class Stillborn(Puppets):
    """Jobs that end before their runners begin."""

    def start(self, runs: Sequence[PlannedRun]) -> None:
        self.started.extend(run.spec.seed for run in runs)
        self._over.extend(JobDone((run,)) for run in runs)


def every(seeds: int, deed: Deed) -> dict[int, Sequence[Deed]]:
    return {seed: [deed] for seed in range(seeds)}


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
