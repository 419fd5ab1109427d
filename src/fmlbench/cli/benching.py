"""Run a whole suite before the user's eyes, and sum it up."""

import math
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from fmlbench.cli.places import find_places
from fmlbench.cli.playing import play_watched
from fmlbench.cli.reporting import write_pages
from fmlbench.cli.requests import RunRequest, sandbox_of
from fmlbench.cli.screen import proceedings, show, show_json
from fmlbench.metrics.embedding.catalogue import find_embedder
from fmlbench.records.folder import RunFolder, open_run
from fmlbench.reports.summary import Summary
from fmlbench.reports.terminal import render_summary
from fmlbench.reports.terminal_tables import run_table
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace.dirs import Places


def bench_suite(suite: str, request: RunRequest, *, as_json: bool) -> None:
    """Play one run per task of the suite, going on with those that are already there."""
    places = find_places()
    specs = [request.spec(folder) for folder in _quickest_first(all_tasks(suite), request.track)]
    sandbox_of(specs[0].rung)
    folders = [open_run(spec, places.runs) for spec in specs]
    summaries = [play_watched(folder, places, proceedings()) for folder in folders]
    if as_json:
        show_json(
            [{"folder": folder.path, "summary": summary} for folder, summary in zip(folders, summaries, strict=True)]
        )
    else:
        show(_report(folders, summaries))
    _write_report(folders, places)


def _quickest_first(folders: Iterable[TaskFolder], track: str) -> list[TaskFolder]:
    """So that there is something to see soon."""

    def seconds(folder: TaskFolder) -> float:
        calibration = folder.track(track).calibration
        return calibration.step_cpu_seconds if calibration else math.inf

    return sorted(folders, key=seconds)


def _report(folders: Sequence[RunFolder], summaries: Sequence[Summary]) -> RenderableType:
    """A page per run, and where there are several, all of them side by side."""
    parts: list[RenderableType] = []
    for folder, summary in zip(folders, summaries, strict=True):
        parts += [Text(), render_summary(summary, place=str(folder.path))]
    if len(summaries) > 1:
        parts += [Text(), run_table(summaries)]
    return Group(*parts)


def _write_report(folders: Sequence[RunFolder], places: Places) -> None:
    """The same for a browser; where it lies is told beside the results, so that JSON stays JSON."""
    output = places.runs / "report.html"
    write_pages(folders, output, find_embedder("offline"), places)
    proceedings().print(Text(f"The report is in {output}"), soft_wrap=True)
