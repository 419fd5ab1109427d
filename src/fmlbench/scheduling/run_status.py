"""The status of a run, read from its logs.

Logs of an unfinished run are read on every poll. Logs of a complete run never change, so its status is cached in a
file: polling ten thousand finished runs must not read all their logs.
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
from fmlbench.scheduling.cost import execution_seconds_of


class RunStatus(Record):
    """The progress of a run."""

    sizes: tuple[int, int] = (0, 0)
    """Sizes of the two logs at the time of reading."""
    is_complete: bool = False
    steps: int = 0
    """Number of tested proposals."""
    done: int = 0
    """Number of logged items: steps, hidden tests and retests."""
    execution_seconds: float = 0.0
    """Of proposing, experiments, hidden exams and retests."""
    dollars: float = 0.0
    """Sum of the known prices."""
    unpriced: int = 0
    """Steps with unknown price."""
    outcomes: dict[str, int] = {}
    """Number of steps by outcome."""
    damage: str = ""
    """What is wrong with the logs; empty if valid."""
    improvement: float | None = None
    """The measure of that name; None if the run is not complete or the value is missing."""
    transfer: float | None = None
    """The same on the task's sibling."""


def read_run_status(folder: RunFolder, task: Task | None = None, last: RunStatus | None = None) -> RunStatus:
    """The status of a run; returns ``last`` if the logs have not changed since.

    ``task`` is used if the log does not contain the run's task.
    """
    sizes = (_size(folder.events), _size(folder.sealed))
    if last is not None and last.sizes == sizes:
        return last
    if sizes == (0, 0):
        return RunStatus()
    cached = _cached(folder)
    if cached is not None and cached.sizes == sizes:
        return cached
    try:
        events = [*each_event(folder.events), *each_event(folder.sealed)]
        state = replay(events)
    except RunDamaged as error:
        return RunStatus(sizes=sizes, damage=error.message)
    status = _status(state, state.task or task, sizes, execution_seconds_of(events))
    if status.is_complete:
        folder.status.write_text(status.model_dump_json(), "utf-8")
    return status


def progress_of(folder: RunFolder) -> int:
    """The number of logged items; zero if the log is damaged."""
    try:
        return _done(read_state(folder))
    except RunDamaged:
        return 0


def hidden_improvement(state: RunState, spec: RunSpec, task: Task) -> float | None:
    """The measure `improvement` of a finished run; None if it is missing."""
    return _known(improvement(_trace(state, spec, task)))


def _trace(state: RunState, spec: RunSpec, task: Task) -> Trace:
    return Trace(spec=spec, task=task, steps=state.steps, retests=state.retests)


def _known(value: Value) -> float | None:
    return None if isinstance(value, Missing) else value


def _status(state: RunState, task: Task | None, sizes: tuple[int, int], execution_seconds: float) -> RunStatus:
    proposed, usages, spec = state.steps[1:], state.usages, state.spec
    is_complete = bool(spec and task and state.is_complete(spec, task.metric))
    return RunStatus(
        sizes=sizes,
        is_complete=is_complete,
        steps=len(proposed),
        done=_done(state),
        execution_seconds=execution_seconds,
        dollars=sum(usage.dollars or 0.0 for usage in usages),
        unpriced=sum(usage.dollars is None for usage in usages),
        outcomes=dict(Counter(str(step.evaluation.outcome) for step in proposed)),
        improvement=hidden_improvement(state, spec, task) if spec and task and is_complete else None,
        transfer=_known(transfer(_trace(state, spec, task))) if spec and task and is_complete else None,
    )


def _done(state: RunState) -> int:
    logged: Sequence[object] = (*state.steps, *state.tests, *state.retests)
    return len(logged) + (state.pending is not None) + bool(state.finished)


def _cached(folder: RunFolder) -> RunStatus | None:
    """The cached status; None if missing, incomplete or of another version."""
    try:
        return RunStatus.model_validate_json(folder.status.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
