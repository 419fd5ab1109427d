"""A run at a glance: what a sweep wants to know of it, read off its logs.

Logs are read anew as long as a run goes on. Once it is complete they never change again, so the glance is kept beside
them: looking at ten thousand finished runs must not mean reading their logs.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fmlbench.core.errors import RunDamaged
from fmlbench.core.record import Record
from fmlbench.core.run import RunSpec
from fmlbench.core.task import Task
from fmlbench.metrics.measure import Missing, Value
from fmlbench.metrics.performance import improvement, transfer
from fmlbench.metrics.trace import Trace
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import each_event
from fmlbench.records.replay import RunState, read_state, replay
from fmlbench.scheduling.run_time import seconds_played


class RunStatus(Record):
    """How far a run has come."""

    sizes: tuple[int, int] = (0, 0)
    """Of the two logs that this was read from."""
    is_complete: bool = False
    steps: int = 0
    """Proposals that were tested."""
    done: int = 0
    """Everything that was logged for good: steps, hidden tests and retests."""
    played_seconds: float = 0.0
    """Of proposing, experiments, hidden exams and retests."""
    dollars: float = 0.0
    """As far as prices are known."""
    unpriced: int = 0
    """Steps whose price is not known."""
    outcomes: dict[str, int] = {}
    """How the steps ended."""
    damage: str = ""
    """What is wrong with the logs, if anything is."""
    improvement: float | None = None
    """The measure of that name, once the run is complete; None before, and where it is missing."""
    transfer: float | None = None
    """The same on the task's sibling."""


def read_run_status(folder: RunFolder, task: Task | None = None, last: RunStatus | None = None) -> RunStatus:
    """How far a run has come; ``last`` is returned as it is if nothing has happened since.

    ``task`` is asked where the log does not tell what the run's task was.
    """
    sizes = (_size(folder.events), _size(folder.sealed))
    if last is not None and last.sizes == sizes:
        return last
    if sizes == (0, 0):
        return RunStatus()
    kept = _kept(folder)
    if kept is not None and kept.sizes == sizes:
        return kept
    try:
        events = [*each_event(folder.events), *each_event(folder.sealed)]
        state = replay(events)
    except RunDamaged as error:
        return RunStatus(sizes=sizes, damage=error.message)
    status = _glance(state, state.task or task, sizes, seconds_played(events))
    if status.is_complete:
        folder.status.write_text(status.model_dump_json(), "utf-8")
    return status


def progress_of(folder: RunFolder) -> int:
    """How much was logged for good; nothing of a damaged log counts."""
    try:
        return _done(read_state(folder))
    except RunDamaged:
        return 0


def hidden_improvement(state: RunState, spec: RunSpec, task: Task) -> float | None:
    """The measure `improvement` of a run that is over: what reports and comparisons say; None where it is missing."""
    return _known(improvement(_trace(state, spec, task)))


def _trace(state: RunState, spec: RunSpec, task: Task) -> Trace:
    return Trace(spec=spec, task=task, steps=state.steps, retests=state.retests)


def _known(value: Value) -> float | None:
    return None if isinstance(value, Missing) else value


def _glance(state: RunState, task: Task | None, sizes: tuple[int, int], played_seconds: float) -> RunStatus:
    proposed, usages, spec = state.steps[1:], state.usages, state.spec
    is_complete = bool(spec and task and state.is_complete(spec, task.metric))
    return RunStatus(
        sizes=sizes,
        is_complete=is_complete,
        steps=len(proposed),
        done=_done(state),
        played_seconds=played_seconds,
        dollars=sum(usage.dollars or 0.0 for usage in usages),
        unpriced=sum(usage.dollars is None for usage in usages),
        outcomes=dict(Counter(str(step.evaluation.outcome) for step in proposed)),
        improvement=hidden_improvement(state, spec, task) if spec and task and is_complete else None,
        transfer=_known(transfer(_trace(state, spec, task))) if spec and task and is_complete else None,
    )


def _done(state: RunState) -> int:
    logged: Sequence[object] = (*state.steps, *state.tests, *state.retests)
    return len(logged) + (state.pending is not None) + bool(state.finished)


def _kept(folder: RunFolder) -> RunStatus | None:
    """The glance that was kept; None if there is none, a torn one, or one of another version."""
    try:
        return RunStatus.model_validate_json(folder.status.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
