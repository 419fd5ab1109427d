"""fmlbench show: show a run and its steps."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, RunArgument


def show(
    run: RunArgument,
    diff: Annotated[
        int | None, typer.Option(metavar="STEP", help="Show the diff of a step against its parent.")
    ] = None,
    log: Annotated[int | None, typer.Option(metavar="STEP", help="Show the output of a step's experiment.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the summary and the steps of a run.

    The steps are shown as a tree with scores, outcomes and ideas.
    """
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.inspecting import show_diff, show_log, show_run
    from fmlbench.core.errors import BadRequest
    from fmlbench.records.folder import find_run

    if diff is not None and log is not None:
        raise BadRequest("--diff and --log cannot be combined.", hint="Leave out one of them.")
    folder = find_run(run, find_dirs().runs)
    if diff is not None:
        show_diff(folder, diff, as_json=as_json)
    elif log is not None:
        show_log(folder, log, as_json=as_json)
    else:
        show_run(folder, as_json=as_json)
