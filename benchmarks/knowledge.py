"""Attack every task with all knowledge of its public data, and write the table of gains in sigma.

    python benchmarks/knowledge.py [TASK ...] [--effort 1.0] [--seeds 3]

The table goes to benchmarks/results/knowledge.md and, between its marks, to docs/redteam.md. Cached
measurements are reused.
"""

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fmlbench.cli.dirs import find_dirs
from fmlbench.core.progress import Silent
from fmlbench.core.task import Calibration, World
from fmlbench.engine.preparation import prepare
from fmlbench.engine.variants import Variants
from fmlbench.records.provenance import processor_name
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks, find_task

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from docs.page import write_page  # noqa: E402

RESULT = ROOT / "benchmarks" / "results" / "knowledge.md"
PAGE = ROOT / "docs" / "redteam.md"
START, END = "<!-- knowledge: start -->\n", "<!-- knowledge: end -->\n"


def attack(folder: TaskFolder, sandbox: Sandbox, seeds: int, effort: float) -> Iterator[str]:
    """A row for each attack of a task, and one for its expert reference, which shows what research gains."""
    dirs = find_dirs()
    prepared = prepare(folder, "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    calibration = prepared.track.calibration
    assert calibration, f"{folder.task.name} is not calibrated"
    sigmas = sigmas_of(calibration)
    variants = Variants(prepared, dirs, Silent())
    for one in folder.task.attacks:
        gains = {world: variants.try_attack(one, seeds, world, effort=effort) for world in sigmas}
        cells = (_in_sigmas(gains[world], sigma) for world, sigma in sigmas.items())
        yield f"| {folder.task.name} | `{one.folder}` | {one.idea} | {' | '.join(cells)} |"
    metric, sibling = folder.task.metric, calibration.sibling
    honest = {World.SCORED: metric.gain(calibration.reference.test.mean, calibration.baseline.test.mean)}
    if sibling:
        honest[World.SIBLING] = metric.gain(sibling.reference.mean, sibling.baseline.mean)
    cells = (_in_sigmas(honest[world], sigma) for world, sigma in sigmas.items())
    yield f"| {folder.task.name} | reference | {folder.task.reference.idea} | {' | '.join(cells)} |"


def sigmas_of(calibration: Calibration) -> dict[World, float]:
    """The noise of the baseline where attacks are scored."""
    sigmas = {World.SCORED: calibration.baseline.test.sd}
    return {**sigmas, World.SIBLING: calibration.sibling.baseline.sd} if calibration.sibling else sigmas


def _in_sigmas(gain: float | str, sigma: float) -> str:
    return gain if isinstance(gain, str) else f"{gain / sigma:+.1f}"


def main() -> None:
    """Attack the tasks named, or all of suite `core`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    folders = [find_task(name) for name in asked.tasks] or all_tasks("core")
    set_up = f"{datetime.now(UTC).date()}, {processor_name()}, {asked.seeds} seeds, effort {asked.effort:g}"
    lines = [
        f"{set_up}: gains over the baseline in sigma.",
        "",
        "| task | attack | what it does | hidden test | sibling |",
        "|---|---|---|---|---|",
    ]
    with ForkServer() as server:
        for folder in folders:
            for row in attack(folder, server, asked.seeds, asked.effort):
                print(row, flush=True)
                lines.append(row)
    if asked.tasks:
        return
    table = "\n".join(lines) + "\n"
    write_page(RESULT, f"# Full-knowledge attacks\n\n{table}")
    before, rest = PAGE.read_text("utf-8").split(START)
    write_page(PAGE, f"{before}{START}\n{table}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
