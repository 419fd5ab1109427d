"""Measure the time and size of a report of many runs.

python benchmarks/report.py                 50 runs of 100 steps, without embedding; then one of them alone
python benchmarks/report.py --embed         the same with the offline embedder, with separate times
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fmlbench.core.run import RunSpec
from fmlbench.core.steps import Step
from fmlbench.core.task import Task
from fmlbench.metrics.embedding.clouds import NoCache, embed_run
from fmlbench.metrics.embedding.structure import StructureEmbedder
from fmlbench.metrics.trace import Cloud
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.reports.html.page import make_report, render
from fmlbench.reports.html.run_records import read_run
from fmlbench.tasks.library import find_task
from fmlbench.testing.made_runs import make_run

AGENTS = ("greedy", "random", "tree", "evolve", "talk")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--embed", action="store_true")
    parser.add_argument("--keep", type=Path, help="write the reports into this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = made(Path(scratch), options.runs, options.steps)
        clouds = embedded(folders) if options.embed else {}
        for count in (options.runs, 1):
            page, seconds, cpu_seconds = timed(folders[:count], clouds)
            size = len(page.encode()) / 1e6
            print(f"{count} x {options.steps} steps: {seconds:.1f} s ({cpu_seconds:.1f} s of CPU), {size:.2f} MB")
            if options.keep:
                (options.keep / f"report-{count}.html").write_text(page, "utf-8")


def made(runs: Path, count: int, steps: int) -> list[RunFolder]:
    """Five agents on two tasks, all with the code of the first run."""
    toy = find_task("toy").on("cpu").task
    tasks = [toy, toy.model_copy(update={"name": "toy-too"})]
    folders: list[RunFolder] = []
    for number in range(count):
        place, task = divmod(number, len(tasks))
        agent = AGENTS[place % len(AGENTS)]
        like = folders[0] if folders else None
        skill = 0.1 * (place % len(AGENTS))
        folders.append(
            make_run(runs, agent=agent, seed=number // 10, steps=steps, task=tasks[task], skill=skill, like=like)
        )
    return folders


def embedded(folders: list[RunFolder]) -> dict[Path, Cloud | None]:
    start = time.perf_counter()
    task = find_task("toy").on("cpu").task
    clouds = {run.path: embed_run(run, read_state(run).steps, task, StructureEmbedder(), NoCache()) for run in folders}
    print(f"embedding: {time.perf_counter() - start:.1f} s")
    return clouds


def task_on_record(spec: RunSpec, state: RunState) -> Task:
    return state.task or find_task(spec.task).on(spec.track, smoke=spec.smoke).task


def timed(folders: list[RunFolder], clouds: dict[Path, Cloud | None]) -> tuple[str, float, float]:
    def cloud_of(run: RunFolder, _steps: Sequence[Step], _task: Task) -> Cloud | None:
        return clouds.get(run.path)

    start, before = time.perf_counter(), os.times()
    runs = [read_run(folder, task_on_record, cloud_of) for folder in folders]
    page = render(make_report(runs, written="now"))
    return page, time.perf_counter() - start, sum(os.times()[:4]) - sum(before[:4])


if __name__ == "__main__":
    main()
