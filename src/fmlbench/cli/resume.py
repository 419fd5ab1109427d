"""fmlbench resume: continue an interrupted run."""

from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from fmlbench.cli.console import stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.errors import resumable
from fmlbench.cli.options import JsonOption, RunArgument
from fmlbench.cli.run import execute_watched, report
from fmlbench.core.run import Isolation
from fmlbench.engine.run import load_run
from fmlbench.records.folder import RunFolder, find_run
from fmlbench.reports.summary import RunPhase, RunSummary, read_summary
from fmlbench.sandbox.isolation import OnGpus, open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.workspace.dirs import Dirs


def resume(
    run: RunArgument,
    gpu: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="Number of a GPU that candidates may use (repeatable); default: all."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Continue an interrupted run.

    Logged steps are not repeated.
    """
    dirs = find_dirs()
    folder = find_run(run, dirs.runs)

    def open_isolation(isolation: Isolation) -> Sandbox:
        return OnGpus(open_sandbox(isolation), gpu) if gpu else open_sandbox(isolation)

    report(folder, resume_watched(folder, dirs, stderr_console(), open_isolation), as_json=as_json)


def resume_watched(
    folder: RunFolder, dirs: Dirs, console: Console, open_isolation: Callable[[Isolation], Sandbox]
) -> RunSummary:
    """Start or resume a run that has a folder. A complete run is only summarised."""
    summary = read_summary(folder)
    if summary.stage is RunPhase.COMPLETE:
        return summary
    with resumable(summary.run):
        run = load_run(folder, dirs, open_isolation)
    return execute_watched(run, console)
