"""Measure the cost of the tasks: downloads, set-up, and a step of the baseline.

    python benchmarks/tasks.py [--suite core] [--cache FOLDER]

The set-up is measured in a fresh cache with the downloads and the shared Python environments of another one (by default
the user's), to exclude the network. The size of the environments is printed separately.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from fmlbench.cli.dirs import find_dirs
from fmlbench.core.evaluation import Evaluation
from fmlbench.core.progress import Silent
from fmlbench.core.run import Isolation
from fmlbench.core.sources import NpmSource, PypiSource, UrlSource
from fmlbench.engine.preparation import prepare
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.trees import editable_files


@dataclass(frozen=True)
class Cost:
    """What one task took here."""

    download_mb: float
    setup_seconds: float
    step: Evaluation

    @property
    def row(self) -> tuple[str, ...]:
        return (
            f"{self.download_mb:.1f} MB",
            f"{self.setup_seconds:.0f} s",
            f"{self.step.seconds:.1f} s",
            f"{self.step.cpu_seconds:.1f} s",
            f"{self.step.peak_memory_mb:.0f} MB",
            str(self.step.outcome),
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--suite", default="core")
    arguments.add_argument("--cache", type=Path, default=find_dirs().cache, help="whose downloads are lent")
    options = arguments.parse_args()
    table = Table("task", "download", "set-up besides", "step", "of it CPU", "largest process", "outcome")
    costs: list[Cost] = []
    with tempfile.TemporaryDirectory(prefix="fmlbench-tasks-") as scratch:
        dirs = Dirs(cache=Path(scratch) / "cache", runs=Path(scratch) / "runs")
        for folder in all_tasks(options.suite):
            lend(Dirs(cache=options.cache.resolve(), runs=dirs.runs), dirs, folder)
            costs.append(measure(folder, dirs, Path(scratch)))
            table.add_row(folder.task.name, *costs[-1].row)
    Console().print(table)
    steps = [cost.step.seconds for cost in costs]
    print(f"median step {median(steps):.1f} s (aim <= 30), longest {max(steps):.1f} s (aim <= 45)")
    print(f"set-up of all besides downloads {sum(cost.setup_seconds for cost in costs):.0f} s (aim < 600)")


def lend(lender: Dirs, borrower: Dirs, folder: TaskFolder) -> None:
    """Make sure that the lender has all downloads and environments, then link them into the fresh cache."""
    prepare(folder, "cpu", dirs=lender, sandbox=open_sandbox(Isolation.BUBBLEWRAP), progress=Silent())
    if not borrower.environments.exists():
        borrower.cache.mkdir(parents=True)
        borrower.environments.symlink_to(lender.environments)
        shutil.copytree(lender.downloads, borrower.downloads, copy_function=os.link)


def measure(folder: TaskFolder, dirs: Dirs, scratch: Path) -> Cost:
    started = time.monotonic()
    prepared = prepare(folder, "cpu", dirs=dirs, sandbox=open_sandbox(Isolation.BUBBLEWRAP), progress=Silent())
    seconds = time.monotonic() - started
    evaluator = CandidateEvaluator(
        prepared=prepared,
        files=editable_files(prepared.codebase, prepared.task.editable),
        folder=scratch / "bench" / folder.task.name,
        label=f"cost-{folder.task.name}",
        purpose=("cost", 0),
    )
    step = evaluator.validate({})
    evaluator.clear()
    download = sum(path.stat().st_size for archive in set(archives(folder, dirs)) for path in archive.rglob("*"))
    return Cost(download / 1e6, seconds, step)


def archives(folder: TaskFolder, dirs: Dirs) -> Iterator[Path]:
    """The downloads that the task's materials came from: of each, the first source that was had."""
    for material in (folder.task.codebase, *folder.task.data):
        named = [one.sha256 for one in material.sources if isinstance(one, PypiSource | NpmSource | UrlSource)]
        yield from [path for checksum in named if (path := dirs.downloads / checksum).is_dir()][:1]


if __name__ == "__main__":
    main()
