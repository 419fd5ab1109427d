"""Looking into runs, whole and damaged, finished and not."""

import json
from pathlib import Path

from fmlbench.records.events import StepFinished
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.snapshots import Snapshots
from tests.command_line import Fmlbench
from tests.handwritten_runs import baseline, spec_of, started, step, write_run

SPEC = spec_of()


def with_code(folder: RunFolder, steps: list[StepFinished], *codes: str) -> list[StepFinished]:
    """The same steps, each with its code stored."""
    snapshots = Snapshots(folder.code)
    commits: list[str] = []
    for finished, code in zip(steps, codes, strict=True):
        parents = [commits[parent] for parent in finished.step.move.parents]
        commits.append(snapshots.store({"model.py": code}, parents, "step", f"refs/heads/steps/{len(commits)}"))
    return [
        StepFinished(step=finished.step.model_copy(update={"snapshot": commit}))
        for finished, commit in zip(steps, commits, strict=True)
    ]


def test_a_diff_shows_what_a_step_changed_in_its_first_parent(fmlbench: Fmlbench, runs: Path):
    folder = RunFolder(runs / SPEC.run_id)
    steps = [baseline(), step(1, 0.6), step(2, 0.7, parents=(1,))]
    long = "x" * 300
    stored = with_code(folder, steps, "width = 1\n", "width = 2\n", f"width = 2\n# \x1b[2J[red]{long}\n")
    write_run(runs, SPEC, [started(SPEC), *stored])
    assert "-width = 1\n+width = 2\n" in fmlbench("show", SPEC.run_id, "--diff", "1").out
    second = fmlbench("show", SPEC.run_id, "--diff", "2").out
    assert "width = 1" not in second
    assert f"+# [red]{long}\n" in second
    assert json.loads(fmlbench("show", SPEC.run_id, "--diff", "2", "--json").out)["parent"] == 1
