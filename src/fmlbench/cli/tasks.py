"""fmlbench tasks: list, show, create, prepare and check tasks."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, SmokeOption, TaskArgument, TrackOption, UnsealedOption, sized

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
    from fmlbench.cli.console import show, show_json
    from fmlbench.reports.tasks import task_table
    from fmlbench.tasks.library import all_tasks

    folders = all_tasks(suite)
    if as_json:
        show_json([{"path": folder.path, "digest": folder.digest, **folder.task.model_dump()} for folder in folders])
    else:
        show(task_table([folder.task for folder in folders]))


@app.command("show")
def show_task(task: TaskArgument, as_json: JsonOption = False) -> None:
    """Show one task: its origin, editable files, scoring, and the resources of its tracks."""
    from fmlbench.cli.console import show, show_json
    from fmlbench.reports.tasks import task_page
    from fmlbench.tasks.library import find_task

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
    from rich.text import Text

    from fmlbench.cli.console import show_lines
    from fmlbench.tasks.template import start_task

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
    from fmlbench.cli.admitting import prepare_folders
    from fmlbench.tasks.library import all_tasks, find_task

    folders = [find_task(task)] if task else all_tasks(suite)
    prepare_folders(folders, sized(track, smoke=smoke), unsealed=unsealed)


@app.command("check")
def check(
    task: TaskArgument,
    track: TrackOption = "cpu",
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
    from fmlbench.cli.admitting import check_folder
    from fmlbench.tasks.library import find_task

    if not check_folder(find_task(task), track, quick=quick, measure=calibrate, as_json=as_json):
        raise typer.Exit(1)
