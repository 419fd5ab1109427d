"""fmlbench brief: print the brief that agents receive."""

import typer

from fmlbench.agents.brief_page import brief_page
from fmlbench.cli.console import show_json, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption, SmokeOption, TaskArgument, TrackOption, UnsealedOption
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import isolation, sandbox_of
from fmlbench.engine.brief import write_brief
from fmlbench.engine.preparation import prepare
from fmlbench.tasks.library import find_task


def brief(
    task: TaskArgument,
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Print the brief of a task exactly as agents receive it.

    The output is Markdown. The task is prepared first if necessary.
    """
    folder = find_task(task)
    sandbox = sandbox_of(isolation(unsealed=unsealed))
    with progress_on(stderr_console()) as progress:
        prepared = prepare(folder, track, smoke=smoke, dirs=find_dirs(), sandbox=sandbox, progress=progress)
    written = write_brief(prepared)
    if as_json:
        show_json(written)
    else:
        typer.echo(brief_page(written), nl=False)
