"""fmlbench resume: continue an interrupted run."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, RunArgument


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
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.playing import play_and_report
    from fmlbench.records.folder import find_run

    dirs = find_dirs()
    play_and_report(find_run(run, dirs.runs), dirs, as_json=as_json, gpus=gpu or ())
