"""fmlbench bench: run one agent on a whole suite."""

import math
from collections.abc import Iterable, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from fmlbench.cli.console import show, show_json, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption, SmokeOption, TrackOption, UnsealedOption
from fmlbench.cli.report import write_pages
from fmlbench.cli.requests import RunRequest, sandbox_of
from fmlbench.cli.resume import resume_watched
from fmlbench.metrics.embedding.embedder import find_embedder
from fmlbench.records.folder import RunFolder, open_run
from fmlbench.reports.summary import RunSummary
from fmlbench.reports.terminal import render_summary, run_table
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace.dirs import Dirs


def bench(
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="The suite to run; 'fmlbench tasks' lists the suites.")
    ] = "quick",
    agent: Annotated[str, typer.Option(metavar="NAME", help="The agent; 'fmlbench agents' lists them.")] = "greedy",
    steps: Annotated[int, typer.Option(metavar="N", help="Number of proposals tested on each task.")] = 5,
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed for the search and for data sampling.")] = 0,
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    retest: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Number of fresh seeds on which the best step is retested at the end."),
    ] = 3,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run an agent on all tasks of a suite and print a summary.

    The built-in agent needs no API key, no GPU and no Docker. After an interruption, repeat the command: existing runs
    are resumed.
    """
    request = RunRequest(
        agent=agent, steps=steps, seed=seed, track=track, smoke=smoke, retest=retest, unsealed=unsealed
    )
    _bench(suite, request, as_json=as_json)


def _bench(suite: str, request: RunRequest, *, as_json: bool) -> None:
    """Execute one run per task of the suite; existing runs are resumed."""
    dirs = find_dirs()
    specs = [request.spec(folder) for folder in _quickest_first(all_tasks(suite), request)]
    sandbox = sandbox_of(specs[0].isolation)
    folders = [open_run(spec, dirs.runs) for spec in specs]
    summaries = [resume_watched(folder, dirs, stderr_console(), lambda _: sandbox) for folder in folders]
    if as_json:
        show_json(
            [{"folder": folder.path, "summary": summary} for folder, summary in zip(folders, summaries, strict=True)]
        )
    else:
        show(_report(folders, summaries))
    _write_report(folders, dirs)


def _quickest_first(folders: Iterable[TaskFolder], request: RunRequest) -> list[TaskFolder]:
    """Sort tasks by calibrated step time, so that the first results come early."""

    def seconds(folder: TaskFolder) -> float:
        calibration = folder.track(request.track, smoke=request.smoke).calibration
        return calibration.step_cpu_seconds if calibration else math.inf

    return sorted(folders, key=seconds)


def _report(folders: Sequence[RunFolder], summaries: Sequence[RunSummary]) -> RenderableType:
    """A summary per run and, for several runs, a table of all."""
    parts: list[RenderableType] = []
    for folder, summary in zip(folders, summaries, strict=True):
        parts += [Text(), render_summary(summary, place=str(folder.path))]
    if len(summaries) > 1:
        parts += [Text(), run_table(summaries)]
    return Group(*parts)


def _write_report(folders: Sequence[RunFolder], dirs: Dirs) -> None:
    """Write the HTML report. Its path is printed to stderr, so that stdout stays valid JSON."""
    output = dirs.runs / "report.html"
    write_pages(folders, output, find_embedder("offline"), dirs)
    stderr_console().print(Text(f"Report: {output}"), soft_wrap=True)
