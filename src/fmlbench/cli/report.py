"""fmlbench report: write an HTML report of runs."""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from fmlbench.cli.console import show_lines
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import EmbedderOption, RunsArgument
from fmlbench.cli.selection import select_all
from fmlbench.core.errors import BadRequest
from fmlbench.metrics.embedding.catalogue import cache_for, find_embedder
from fmlbench.metrics.embedding.clouds import embed_run
from fmlbench.metrics.embedding.embedder import Embedder
from fmlbench.records.folder import RunFolder
from fmlbench.reports.html.page import all_complete, make_report, render
from fmlbench.reports.html.run_records import CloudMaker, RunRecord, read_run
from fmlbench.reports.summary import task_of
from fmlbench.workspace.dirs import Dirs

REFRESH_SECONDS = 5
"""Interval at which a watched report is rewritten and its page reloads itself."""


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
    dirs = find_dirs()
    if watch:
        _watch(runs, output, find_embedder(embedder), dirs)
    else:
        write_pages(select_all(runs, dirs.runs), output, find_embedder(embedder), dirs)
        show_lines(Text(f"Report: {output.resolve()}"))


def _watch(words: Sequence[str], output: Path, embedder: Embedder | None, dirs: Dirs) -> None:
    """Rewrite the report whenever a log has grown, until all runs are complete."""
    show_lines(Text(f"Report: {output.resolve()} (updated while the runs progress; stop with Ctrl-C)"))
    before: list[int] = []
    while True:
        folders = select_all(words, dirs.runs)
        sizes = [log.stat().st_size for run in folders for log in (run.events, run.sealed) if log.exists()]
        if sizes != before:
            before = sizes
            if all_complete(write_pages(folders, output, embedder, dirs, refresh_seconds=REFRESH_SECONDS)):
                return
        time.sleep(REFRESH_SECONDS)


def write_pages(
    folders: Sequence[RunFolder],
    output: Path,
    embedder: Embedder | None,
    dirs: Dirs,
    *,
    refresh_seconds: int | None = None,
) -> list[RunRecord]:
    """Read the runs and write the report. The file is replaced atomically, so that readers never see a partial one."""
    cloud_of = _clouds(embedder, dirs)
    runs = [read_run(folder, task_of, cloud_of) for folder in folders]
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    page = render(make_report(runs, written=written, refresh_seconds=refresh_seconds))
    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        temporary.write_text(page, "utf-8")
        temporary.replace(output)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise BadRequest(
            f"The report cannot be written: {error.strerror} ({output}).", hint="Choose another file with -o."
        ) from error
    return runs


def _clouds(embedder: Embedder | None, dirs: Dirs) -> CloudMaker | None:
    if embedder is None:
        return None
    cache = cache_for(embedder, dirs.embeddings)
    return lambda folder, steps, task: embed_run(folder, steps, task, embedder, cache)
