"""Play a run before the user's eyes, and tell what came of it."""

from collections.abc import Sequence

from rich.console import Console

from fmlbench.cli.errors import resumable
from fmlbench.cli.progress import progress_on
from fmlbench.cli.screen import proceedings, show, show_json
from fmlbench.cli.watching import RunView
from fmlbench.core.run import Rung, RunSpec
from fmlbench.core.task import Task
from fmlbench.engine.run import play
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.reports.summary import Stage, Summary, summarise
from fmlbench.reports.terminal import render_summary
from fmlbench.sandbox.gpus import OnGpus
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Places


def play_and_report(folder: RunFolder, places: Places, *, as_json: bool, gpus: Sequence[int] = ()) -> None:
    """Play a run to its end and print its summary."""
    summary = play_watched(folder, places, proceedings(), gpus)
    if as_json:
        show_json({"folder": folder.path, "summary": summary})
    else:
        show(render_summary(summary, place=str(folder.path)))


def play_watched(folder: RunFolder, places: Places, console: Console, gpus: Sequence[int] = ()) -> Summary:
    """Play a run from wherever it stands, on these GPUs if any are named; one that is complete is only summed up."""
    spec = folder.read_spec()
    summary = read_summary(folder)
    if summary.stage is Stage.COMPLETE:
        return summary
    state = read_state(folder)
    view = RunView(console, spec, task_of(spec, state), state)
    with resumable(spec.run_id), progress_on(console) as progress, view:
        play(folder, places=places, progress=progress, watch=view, open_rung=lambda rung: _sandbox(rung, gpus))
    return read_summary(folder)


def _sandbox(rung: Rung, gpus: Sequence[int]) -> Sandbox:
    return OnGpus(open_sandbox(rung), gpus) if gpus else open_sandbox(rung)


def read_summary(folder: RunFolder) -> Summary:
    """What came of a run so far."""
    spec = folder.read_spec()
    state = read_state(folder)
    return summarise(spec, state, task_of(spec, state), is_played=folder.is_played)


def task_of(spec: RunSpec, state: RunState) -> Task:
    """The task as it was when the run started; as it is now, where the run has not started yet."""
    return state.task or find_task(spec.task).on(spec.track).task
