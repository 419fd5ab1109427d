"""fmlbench export: a run in one file."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, RunArgument


def export(
    run: RunArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to; else RUN.tar.gz in this folder.")
    ] = None,
    embedder: EmbedderOption = "offline",
) -> None:
    """Pack a run into one file.

    It holds logs, code, answers, hidden scores and metrics, and no labels. Only a run that is over can be exported.
    """
    from fmlbench.cli.exporting import export_run

    export_run(run, output, embedder)
