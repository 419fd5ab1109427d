"""Attack every task with all knowledge of its public data, and write the table of gains in sigma.

    python benchmarks/knowledge.py [TASK ...] [--attack attacks/weights] [--effort 1.0] [--seeds 3]

The table is benchmarks/results/knowledge.md; docs/redteam.md repeats it between its marks. Each row is written when it
is measured, with its own effort and date, in place of the earlier row for that attack. What was measured before is not
measured again.
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
from fmlbench.sandbox.fork_server import ForkServer
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import all_tasks, find_task

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from docs.page import write_page  # noqa: E402

RESULT = ROOT / "benchmarks" / "results" / "knowledge.md"
PAGE = ROOT / "docs" / "redteam.md"
HEADER = """\
Gains over the baseline in sigma. Effort is the share of an attack's full computing time.

| task | attack | what it does | hidden test | sibling | effort | seeds | date |
|---|---|---|---|---|---|---|---|"""
REFERENCE = "reference"
START, END = "<!-- knowledge: start -->\n", "<!-- knowledge: end -->\n"


def attack(folder: TaskFolder, sandbox: Sandbox, asked: argparse.Namespace) -> Iterator[str]:
    """A row for each attack of a task, and one for its expert reference, which shows what research gains."""
    dirs = find_dirs()
    prepared = prepare(folder, "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())
    calibration = prepared.track.calibration
    assert calibration, f"{folder.task.name} is not calibrated"
    sigmas = sigmas_of(calibration)
    variants = Variants(prepared, dirs, Silent())
    set_up = f"{asked.effort:g} | {asked.seeds} | {datetime.now(UTC).date()}"
    for one in folder.task.attacks:
        if asked.attack in ("", one.folder):
            gains = {world: variants.try_attack(one, asked.seeds, world, effort=asked.effort) for world in sigmas}
            cells = (_in_sigmas(gains[world], sigma) for world, sigma in sigmas.items())
            yield f"| {folder.task.name} | `{one.folder}` | {one.idea} | {' | '.join(cells)} | {set_up} |"
    metric, sibling = folder.task.metric, calibration.sibling
    honest = {World.SCORED: metric.gain(calibration.reference.test.mean, calibration.baseline.test.mean)}
    if sibling:
        honest[World.SIBLING] = metric.gain(sibling.reference.mean, sibling.baseline.mean)
    cells = (_in_sigmas(honest[world], sigma) for world, sigma in sigmas.items())
    set_up = f"- | {calibration.reference.test.n} | {calibration.date}"
    yield f"| {folder.task.name} | {REFERENCE} | {folder.task.reference.idea} | {' | '.join(cells)} | {set_up} |"


def sigmas_of(calibration: Calibration) -> dict[World, float]:
    """The noise of the baseline where attacks are scored."""
    sigmas = {World.SCORED: calibration.baseline.test.sd}
    return {**sigmas, World.SIBLING: calibration.sibling.baseline.sd} if calibration.sibling else sigmas


def _in_sigmas(gain: float | str, sigma: float) -> str:
    return gain if isinstance(gain, str) else f"{gain / sigma:+.1f}"


def put_into_table(row: str) -> None:
    """Replace the row for the same attack; rows for attacks that no longer exist are left out."""
    lines = [*RESULT.read_text("utf-8").splitlines(), row]
    rows = {_key(line): line for line in lines if line.startswith("| ")}
    present = [(folder.task.name, name) for folder in all_tasks() for name in _names(folder)]
    table = "\n".join([HEADER, *(rows[key] for key in present if key in rows)])
    write_page(RESULT, f"# Full-knowledge attacks\n\n{table}\n")
    before, rest = PAGE.read_text("utf-8").split(START)
    write_page(PAGE, f"{before}{START}\n{table}\n\n{END}{rest.split(END)[1]}")


def _key(row: str) -> tuple[str, str]:
    _, task, name, *_ = (cell.strip() for cell in row.split("|"))
    return task, name


def _names(folder: TaskFolder) -> list[str]:
    return [*(f"`{one.folder}`" for one in folder.task.attacks), REFERENCE]


def main() -> None:
    """Attack the tasks named, or all of suite `core`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--attack", default="", help="try only this attack, named by its folder")
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    with ForkServer() as server:
        for folder in [find_task(name) for name in asked.tasks] or all_tasks("core"):
            for row in attack(folder, server, asked):
                print(row, flush=True)
                put_into_table(row)


if __name__ == "__main__":
    main()
