"""Execute a run with a live view, and print its summary."""

from collections.abc import Sequence

from rich.console import Console

from fmlbench.cli.console import show, show_json, stderr_console
from fmlbench.cli.errors import resumable
from fmlbench.cli.live_view import RunView
from fmlbench.cli.progress import progress_on
from fmlbench.core.run import Isolation, RunSpec
from fmlbench.core.task import Task
from fmlbench.engine.run import execute_run
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.reports.summary import RunPhase, RunSummary, summarise
from fmlbench.reports.terminal import render_summary
from fmlbench.sandbox.isolation import OnGpus, open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs


def play_and_report(folder: RunFolder, dirs: Dirs, *, as_json: bool, gpus: Sequence[int] = ()) -> None:
    """Execute a run to its end and print its summary."""
    summary = play_watched(folder, dirs, stderr_console(), gpus)
    if as_json:
        show_json({"folder": folder.path, "summary": summary})
    else:
        show(render_summary(summary, place=str(folder.path)))


def play_watched(folder: RunFolder, dirs: Dirs, console: Console, gpus: Sequence[int] = ()) -> RunSummary:
    """Start or resume a run, on these GPUs if any are given. A complete run is only summarised."""
    spec = folder.read_spec()
    summary = read_summary(folder)
    if summary.stage is RunPhase.COMPLETE:
        return summary
    state = read_state(folder)
    view = RunView(console, spec, task_of(spec, state), state)
    with resumable(spec.run_id), progress_on(console) as progress, view:
        execute_run(
            folder, dirs=dirs, progress=progress, watch=view, open_isolation=lambda isolation: _sandbox(isolation, gpus)
        )
    return read_summary(folder)


def _sandbox(isolation: Isolation, gpus: Sequence[int]) -> Sandbox:
    return OnGpus(open_sandbox(isolation), gpus) if gpus else open_sandbox(isolation)


def read_summary(folder: RunFolder) -> RunSummary:
    """The summary of a run so far."""
    spec = folder.read_spec()
    state = read_state(folder)
    return summarise(spec, state, task_of(spec, state), is_played=folder.is_running)


def task_of(spec: RunSpec, state: RunState) -> Task:
    """The task as logged at the start of the run, or the current task if the run has not started."""
    return state.task or find_task(spec.task).on(spec.track).task
