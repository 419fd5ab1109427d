"""fmlbench export: pack a run into one file."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, RunArgument


def export(
    run: RunArgument,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Output file; default: RUN.tar.gz in the current folder."),
    ] = None,
    embedder: EmbedderOption = "offline",
) -> None:
    """Pack a run into one file.

    The file contains logs, code, answers, hidden scores and metrics, but no labels. The run must be finished.
    """
    from fmlbench.cli.exporting import export_run

    export_run(run, output, embedder)
