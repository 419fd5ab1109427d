"""fmlbench tasks: list, show, create, prepare and check tasks."""

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console, stdout_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption, SmokeOption, TaskArgument, TrackOption, UnsealedOption
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import isolation, sandbox_of
from fmlbench.core.errors import BadRequest
from fmlbench.core.progress import Progress
from fmlbench.core.run import Isolation
from fmlbench.engine.admission import Finding, calibrate, check_task
from fmlbench.engine.preparation import prepare
from fmlbench.records.provenance import processor_name
from fmlbench.reports.tasks import task_page, task_table
from fmlbench.reports.untrusted import one_line
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.calibration import write_calibration
from fmlbench.tasks.folder import TaskFolder, read_task
from fmlbench.tasks.library import all_tasks, find_task, name_of
from fmlbench.tasks.template import start_task
from fmlbench.workspace.dirs import Dirs

app = typer.Typer(help="List, show, create, prepare and check tasks.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def tasks(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the tasks; show, create, prepare or check one."""
    if context.invoked_subcommand is None:
        list_tasks(as_json=as_json)


@app.command("list")
def list_tasks(
    suite: Annotated[
        str | None,
        typer.Option(metavar="SUITE", help="Only the tasks of this suite; the full list shows the suites."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the tasks."""
    folders = all_tasks(suite)
    if as_json:
        show_json([{"path": folder.path, "digest": folder.digest, **folder.task.model_dump()} for folder in folders])
    else:
        show(task_table([folder.task for folder in folders]))


@app.command("show")
def show_task(task: TaskArgument, as_json: JsonOption = False) -> None:
    """Show one task: its origin, editable files, scoring, and the resources of its tracks."""
    folder = find_task(task)
    if as_json:
        show_json({"path": folder.path, "digest": folder.digest, **folder.task.model_dump()})
    else:
        show(task_page(folder))


@app.command("new")
def new_task(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the new task: lower-case letters, digits and hyphens.")
    ],
    where: Annotated[
        Path, typer.Option("--in", metavar="FOLDER", help="Folder in which the task's folder is created.")
    ] = Path(),
) -> None:
    """Create a new task: a folder that already passes 'check', as a template to edit."""
    folder = start_task(name, where)
    path = folder if folder.is_absolute() else f"./{folder}"
    show_lines(Text(f"Created {path}. Next: fmlbench tasks check {path} --quick"))


@app.command("prepare")
def prepare_tasks(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="Name of a task or path of its folder; leave out for a whole suite."),
    ] = None,
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="Without TASK: prepare every task of this suite.")
    ] = "quick",
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    unsealed: UnsealedOption = False,
) -> None:
    """Download and build what a task needs (codebase, data, Python), so that runs start at once and offline."""
    folders = [find_task(task)] if task else all_tasks(suite)
    dirs = find_dirs()
    sandbox = sandbox_of(isolation(unsealed=unsealed))
    for folder in folders:
        with progress_on(stderr_console()) as progress:
            prepare(folder, track, smoke=smoke, dirs=dirs, sandbox=sandbox, progress=progress)
        show_lines(Text(f"{folder.task.name} is ready. Next: {_run_command(folder, track, smoke=smoke)}"))


@app.command("check")
def check(
    task: TaskArgument,
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed instead of ten: minutes instead of an hour.")
    ] = False,
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate", help="First measure baseline and noise, and write them to the task's manifest."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run all admission checks of a task; measurements are kept if interrupted.

    Exits with 1 if the task is refused.
    """
    if smoke and calibrate:
        raise BadRequest("A smoke test cannot be calibrated.", hint="Leave out --calibrate or --smoke.")
    folder = find_task(task)
    dirs = find_dirs()
    sandbox = open_sandbox(Isolation.BUBBLEWRAP)
    findings: list[Finding] = []

    def report(finding: Finding) -> None:
        findings.append(finding)
        if not as_json:
            show_lines(_line(finding))

    with progress_on(stderr_console()) as progress:
        if calibrate:
            folder = _calibrated(folder, track, dirs, sandbox, progress)
        passed = check_task(
            folder, track, smoke=smoke, dirs=dirs, sandbox=sandbox, progress=progress, quick=quick, report=report
        )
    if as_json:
        show_json({"task": folder.task.name, "track": track, "smoke": smoke, "admitted": passed, "findings": findings})
    else:
        stdout_console().print(_verdict(folder.task.name, passed=passed))
    if not passed:
        raise typer.Exit(1)


def _run_command(folder: TaskFolder, track: str, *, smoke: bool) -> str:
    """The command that runs the prepared task."""
    options = ([] if track == "cpu" else ["--track", track]) + (["--smoke"] if smoke else [])
    return shlex.join(["fmlbench", "run", name_of(folder), *options])


def _calibrated(folder: TaskFolder, track: str, dirs: Dirs, sandbox: Sandbox, progress: Progress) -> TaskFolder:
    """The task with new measurements in its manifest."""
    prepared = prepare(folder, track, dirs=dirs, sandbox=sandbox, progress=progress)
    today = datetime.now(UTC).date().isoformat()
    measured = calibrate(prepared, dirs, progress, machine=processor_name(), date=today)
    write_calibration(folder.path / "task.toml", track, measured)
    return read_task(folder.path)


def _line(finding: Finding) -> Text:
    line = Text("ok    ", style="green") if finding.passed else Text("FAIL  ", style="bold red")
    return line.append(f"{finding.check}: {one_line(finding.detail)}", style="default")


def _verdict(name: str, *, passed: bool) -> Text:
    return Text(f"{name} is admitted.", style="bold green") if passed else Text(f"{name} is refused.", style="bold red")
