"""Read runs for a report: each log once, and all diffs of a run in one git process."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fmlbench.core.errors import RunDamaged
from fmlbench.core.run import RunSpec
from fmlbench.core.steps import Step
from fmlbench.core.task import Task
from fmlbench.metrics.measured_run import MeasuredRun, measure_run
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
    """The data of one run in a report. Hidden scores are included only if the search is finished."""

    folder: RunFolder
    agent: str
    """The agent's display name in this report."""
    state: RunState
    trace: Trace
    summary: RunSummary
    measured: MeasuredRun
    diffs: Sequence[str] | None
    """The diff of each step against its first parent; None if snapshots are missing."""

    @property
    def spec(self) -> RunSpec:
        """The run's specification."""
        return self.trace.spec

    @property
    def name(self) -> str:
        """The run's name."""
        return self.spec.run_id


def by_agent(runs: Iterable[RunRecord]) -> dict[str, list[MeasuredRun]]:
    """The measured runs of every agent, in order of their first run."""
    found: defaultdict[str, list[MeasuredRun]] = defaultdict(list[MeasuredRun])
    for run in runs:
        found[run.agent].append(run.measured)
    return dict(found)


def read_run(folder: RunFolder, task_of: TaskFinder, cloud_of: CloudMaker | None = None) -> RunRecord:
    """Read a run's folder; its code is embedded if ``cloud_of`` is given."""
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
    # The baseline has no parent, so it is compared with itself.
    pairs = [(steps[(step.move.parents or (step.index,))[0]].snapshot, step.snapshot) for step in steps]
    try:
        return Snapshots(folder.code).diffs(pairs)
    except RunDamaged:
        return None
