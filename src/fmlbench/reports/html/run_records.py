"""Read runs for a report: each log once, each run's diffs by one git."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fmlbench.core.errors import RunDamaged
from fmlbench.core.run import RunSpec
from fmlbench.core.steps import Step
from fmlbench.core.task import Task
from fmlbench.metrics.measurement import MeasuredRun, measure_run
from fmlbench.metrics.trace import Cloud, Trace, trace_of
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import read_events
from fmlbench.records.replay import RunState, replay
from fmlbench.reports.summary import RunSummary, summarise
from fmlbench.workspace.snapshots import Snapshots

TaskFinder = Callable[[RunSpec, RunState], Task]
CloudMaker = Callable[[RunFolder, Sequence[Step], Task], Cloud | None]


@dataclass(frozen=True)
class RunRecord:
    """All that a report may tell of one run; of a run that goes on, nothing hidden is told."""

    folder: RunFolder
    agent: str
    """What the agent is called in this report."""
    state: RunState
    trace: Trace
    summary: RunSummary
    measured: MeasuredRun
    diffs: Sequence[str] | None
    """What each step changed against its first parent, the baseline nothing; None where snapshots are missing."""

    @property
    def spec(self) -> RunSpec:
        """What was asked for."""
        return self.trace.spec

    @property
    def name(self) -> str:
        """The run's name."""
        return self.spec.run_id


def by_agent(runs: Iterable[RunRecord]) -> dict[str, list[MeasuredRun]]:
    """The measured runs of every agent, in the order in which their first runs come."""
    found: defaultdict[str, list[MeasuredRun]] = defaultdict(list[MeasuredRun])
    for run in runs:
        found[run.agent].append(run.measured)
    return dict(found)


def read_run(folder: RunFolder, task_of: TaskFinder, cloud_of: CloudMaker | None = None) -> RunRecord:
    """A run as its folder tells it now; its code is embedded if somebody says how."""
    spec = folder.read_spec()
    events = [*read_events(folder.events), *read_events(folder.sealed)]
    state = replay(events)
    task = task_of(spec, state)
    cloud = cloud_of(folder, state.steps, task) if cloud_of else None
    trace = trace_of(events, spec, task, cloud)
    return RunRecord(
        folder=folder,
        agent=spec.agent.slug,
        state=state,
        trace=trace,
        summary=summarise(spec, state, task, is_played=folder.is_running),
        measured=measure_run(trace),
        diffs=_diffs(folder, state.steps),
    )


def _diffs(folder: RunFolder, steps: Sequence[Step]) -> list[str] | None:
    # The baseline has no parent; against itself it changed nothing.
    pairs = [(steps[(step.move.parents or (step.index,))[0]].snapshot, step.snapshot) for step in steps]
    try:
        return Snapshots(folder.code).diffs(pairs)
    except RunDamaged:
        return None
