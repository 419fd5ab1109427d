"""fmlbench show: look into a run."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, RunArgument


def show(
    run: RunArgument,
    diff: Annotated[
        int | None, typer.Option(metavar="STEP", help="Show what a step changed in the code of its parent.")
    ] = None,
    log: Annotated[int | None, typer.Option(metavar="STEP", help="Show what a step's experiment printed.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a run: its summary and its steps.

    The steps are drawn as the tree they grew into, with scores, outcomes and ideas.
    """
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.inspecting import show_diff, show_log, show_run
    from fmlbench.core.errors import BadRequest
    from fmlbench.records.folder import find_run

    if diff is not None and log is not None:
        raise BadRequest("--diff and --log cannot be shown at once.", hint="Ask for one after the other.")
    folder = find_run(run, find_dirs().runs)
    if diff is not None:
        show_diff(folder, diff, as_json=as_json)
    elif log is not None:
        show_log(folder, log, as_json=as_json)
    else:
        show_run(folder, as_json=as_json)
