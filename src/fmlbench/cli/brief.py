"""fmlbench brief: what an agent is told."""

import typer

from fmlbench.cli.options import JsonOption, TaskArgument, TrackOption, UnsealedOption


def brief(
    task: TaskArgument, track: TrackOption = "cpu", unsealed: UnsealedOption = False, as_json: JsonOption = False
) -> None:
    """Print exactly what an agent is told.

    It is a page of Markdown; the task is prepared if it is not yet.
    """
    from fmlbench.agents.brief_page import brief_page
    from fmlbench.cli.places import find_places
    from fmlbench.cli.progress import progress_on
    from fmlbench.cli.requests import rung, sandbox_of
    from fmlbench.cli.screen import proceedings, show_json
    from fmlbench.engine.brief import write_brief
    from fmlbench.engine.preparation import prepare
    from fmlbench.tasks.library import find_task

    folder = find_task(task)
    sandbox = sandbox_of(rung(unsealed=unsealed))
    with progress_on(proceedings()) as progress:
        prepared = prepare(folder, track, places=find_places(), sandbox=sandbox, progress=progress)
    written = write_brief(prepared)
    if as_json:
        show_json(written)
    else:
        typer.echo(brief_page(written), nl=False)
