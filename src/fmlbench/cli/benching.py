"""Run a whole suite before the user's eyes, and sum it up."""

import math
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from fmlbench.cli.console import show, show_json, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.playing import play_watched
from fmlbench.cli.reporting import write_pages
from fmlbench.cli.requests import RunRequest, sandbox_of
from fmlbench.metrics.embedding.catalogue import find_embedder
from fmlbench.records.folder import RunFolder, open_run
from fmlbench.reports.summary import RunSummary
from fmlbench.reports.terminal import render_summary
from fmlbench.reports.terminal_tables import run_table
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace.dirs import Dirs


def bench_suite(suite: str, request: RunRequest, *, as_json: bool) -> None:
    """Play one run per task of the suite, going on with those that are already there."""
    dirs = find_dirs()
    specs = [request.spec(folder) for folder in _quickest_first(all_tasks(suite), request.track)]
    sandbox_of(specs[0].isolation)
    folders = [open_run(spec, dirs.runs) for spec in specs]
    summaries = [play_watched(folder, dirs, stderr_console()) for folder in folders]
    if as_json:
        show_json(
            [{"folder": folder.path, "summary": summary} for folder, summary in zip(folders, summaries, strict=True)]
        )
    else:
        show(_report(folders, summaries))
    _write_report(folders, dirs)


def _quickest_first(folders: Iterable[TaskFolder], track: str) -> list[TaskFolder]:
    """So that there is something to see soon."""

    def seconds(folder: TaskFolder) -> float:
        calibration = folder.track(track).calibration
        return calibration.step_cpu_seconds if calibration else math.inf

    return sorted(folders, key=seconds)


def _report(folders: Sequence[RunFolder], summaries: Sequence[RunSummary]) -> RenderableType:
    """A page per run, and where there are several, all of them side by side."""
    parts: list[RenderableType] = []
    for folder, summary in zip(folders, summaries, strict=True):
        parts += [Text(), render_summary(summary, place=str(folder.path))]
    if len(summaries) > 1:
        parts += [Text(), run_table(summaries)]
    return Group(*parts)


def _write_report(folders: Sequence[RunFolder], dirs: Dirs) -> None:
    """The same for a browser; where it lies is told beside the results, so that JSON stays JSON."""
    output = dirs.runs / "report.html"
    write_pages(folders, output, find_embedder("offline"), dirs)
    stderr_console().print(Text(f"The report is in {output}"), soft_wrap=True)
