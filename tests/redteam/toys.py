"""Copies of the toy task with something changed: lower limits, a shifted exam, no consistency check."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from fmlbench.core.progress import Silent
from fmlbench.core.task import Calibration, Figure, Measured
from fmlbench.engine.preparation import prepare
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.calibration import write_calibration
from fmlbench.tasks.folder import read_task
from fmlbench.tasks.library import task_folders
from fmlbench.workspace.dirs import Dirs

LIMITS = "limits = { cpu_seconds = 10, wall_seconds = 120, memory_mb = 1024, disk_mb = 32 }"
NARROW = {"task.toml": {LIMITS: "limits = { cpu_seconds = 5, wall_seconds = 90, memory_mb = 512, disk_mb = 16 }"}}
SHIFTED = {
    "data/recipe.py": {
        '            save_exam(root / "out" / split, {"inputs": inputs}': (
            "            offset = rng.standard_normal(inputs.shape[1])\n"
            "            offset *= 4 / np.linalg.norm(offset)\n"
            "            shifted = (inputs + offset).astype(np.float32)\n"
            '            save_exam(root / "out" / split, {"inputs": shifted}'
        )
    }
}
JOINT = {"task.toml": {'kind = "independent"': 'kind = "joint"'}}

Edits = Mapping[str, Mapping[str, str]]


def make_toy(folder: Path, dirs: Dirs, sandbox: Sandbox, *edits: Edits) -> PreparedTask:
    """Prepare the toy task with edits; its calibration is given, so that noise is not measured."""
    shutil.copytree(task_folders()["toy"], folder, ignore=shutil.ignore_patterns("__pycache__"))
    for changes in edits:
        for file, replacements in changes.items():
            text = (folder / file).read_text("utf-8")
            for old, new in replacements.items():
                assert old in text, f"{file} has changed: {old!r} is missing"
                text = text.replace(old, new)
            (folder / file).write_text(text, "utf-8")
    write_calibration(folder / "task.toml", "cpu", _CALIBRATION)
    return prepare(read_task(folder), "cpu", dirs=dirs, sandbox=sandbox, progress=Silent())


_FIGURE = Figure(mean=0.65, sd=0.01, n=10)
"""The standard deviation is that of the toy's baseline over forty samples with four secrets."""
_MEASURED = Measured(validation=_FIGURE, test=_FIGURE)
_CALIBRATION = Calibration(
    baseline=_MEASURED,
    method_off=_MEASURED,
    reference=_MEASURED,
    step_cpu_seconds=1,
    peak_memory_mb=100,
    machine="for tests",
    date="for tests",
)
