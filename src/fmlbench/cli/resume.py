"""fmlbench resume: go on with a run."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, RunArgument


def resume(
    run: RunArgument,
    gpu: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="Show candidates this GPU of the machine alone; may be given several times."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Go on with a run that was stopped.

    Nothing that was logged is done again.
    """
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.playing import play_and_report
    from fmlbench.records.folder import find_run

    dirs = find_dirs()
    play_and_report(find_run(run, dirs.runs), dirs, as_json=as_json, gpus=gpu or ())
