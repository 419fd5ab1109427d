"""fmlbench report: runs as one HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, RunsArgument


def report(
    runs: RunsArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; an old report is replaced.")
    ] = Path("report.html"),
    embedder: EmbedderOption = "offline",
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Write it again whenever a run has gone on, until all are complete or Ctrl-C."),
    ] = False,
) -> None:
    """Write runs as one HTML file that opens offline.

    It shows who is better if one can tell, how scores went over steps, the search tree with every idea and diff, where
    the search went, what it cost and where the figures come from.
    """
    from fmlbench.cli.reporting import watch_report, write_report

    if watch:
        watch_report(runs, output, embedder)
    else:
        write_report(runs, output, embedder)
