"""fmlbench report: write an HTML report of runs."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, RunsArgument


def report(
    runs: RunsArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Output file; an existing file is replaced.")
    ] = Path("report.html"),
    embedder: EmbedderOption = "offline",
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Rewrite the report whenever a run has progressed, until all are complete or Ctrl-C."
        ),
    ] = False,
) -> None:
    """Write an HTML report of runs: one file that works offline.

    It shows comparisons of agents, scores over steps, the search tree with all ideas and diffs, a map of the code
    tried, costs, and the provenance of the numbers.
    """
    from fmlbench.cli.reporting import watch_report, write_report

    if watch:
        watch_report(runs, output, embedder)
    else:
        write_report(runs, output, embedder)
