"""Stages without isolation, to show that the attacks work."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fmlbench.redteam.attack import AttackContext, BuildCandidate, Target
from fmlbench.redteam.canaries import Canaries
from fmlbench.tasks.folder import TaskFolder
from tests.programs import run_program

ROWS = {"train": 800, "validation": 1000, "test": 1000}


@dataclass(frozen=True)
class OpenToy:
    """The toy task in an unprotected folder."""

    folder: TaskFolder
    root: Path
    sample: Path
    """Questions and labels, readable by attacks."""
    target: Target

    def install(self, build: BuildCandidate) -> None:
        """Write an attack into the candidate's tree."""
        codebase = self.folder.path / "codebase"
        files = {path.relative_to(codebase).as_posix(): path.read_text() for path in codebase.rglob("*.py")}
        context = AttackContext("toy", files, self.folder.task.editable.suggested, {}, self.target)
        for path, text in build(context).files.items():
            (self.root / "repo" / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "repo" / path).write_text(text)

    def run(self, stage: str, rows: slice = slice(None), name: str = "out", *, planted: bool = False) -> str:
        """Run a stage and return its output; an exam asks these rows of the test's questions."""
        with self.running(stage, rows, name, planted=planted) as process:
            output, _ = process.communicate(timeout=60)
        return output

    @contextmanager
    def running(
        self, stage: str, rows: slice, name: str, *, planted: bool = False
    ) -> Generator["subprocess.Popen[str]"]:
        """A stage in a separate process and folder; with ``planted``, the folder contains labels."""
        world = self.root / name
        world.mkdir()
        for folder in ("repo", "carry"):
            (world / folder).symlink_to(self.root / folder)
        # Copies, because an attack could change the originals.
        shutil.copytree(self.folder.path / "experiment", world / "task")
        shutil.copytree(str(resources.files("fmlbench.experiment") / "kit"), world / "kit")
        if planted:
            shutil.copytree(self.sample / "test", world / "planted")
        (world / "data").symlink_to(self.sample)
        for folder in ("out", "scratch", "questions"):
            (world / folder).mkdir()
        inputs = np.load(self.sample / "test" / "questions" / "inputs.npy")[rows]
        np.save(world / "questions" / "inputs.npy", inputs)
        facts = {"stage": stage, "seed": 5, "threads": 1, "settings": {"classes": 4}}
        (world / "stage.json").write_text(json.dumps(facts))
        process = subprocess.Popen(
            [sys.executable, "-B", "-u", world / "task" / "driver.py", world],
            cwd=world / "scratch",
            env={"PYTHONPATH": f"{world}/repo:{world}/kit", "PATH": os.defpath, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def answers(self, name: str = "out") -> npt.NDArray[np.int64]:
        """The answers of a stage, read without any checks."""
        return np.load(self.root / name / "out" / "answers.npy")

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """The labels."""
        return np.load(self.sample / "test" / "labels" / "labels.npy")


def lay_out_open_toy(folder: TaskFolder, root: Path, canaries: Canaries, seed: int) -> OpenToy:
    """Build data with the task's dataset builder, and a folder in which everything is readable."""
    sample = root / "made" / "out"
    _run_recipe(folder, root / "made", "prepare", seed)
    _run_recipe(folder, root / "made", "draw", seed + 1)
    (root / "carry").mkdir()
    target = Target(
        mark="unprotected",
        token=canaries.token,
        harness_pid=os.getpid(),
        samples=(str(sample),),
        splits=str(root / "made" / "pools"),
        secret=str(root / "secret"),
        canary_folder=str(canaries.folder),
        port=canaries.port,
        abstract_socket=canaries.abstract_socket,
        path_socket=str(canaries.path_socket),
    )
    return OpenToy(folder, root, sample, target)


def _run_recipe(folder: TaskFolder, place: Path, step: str, seed: int) -> None:
    for name in ("pools", "out"):
        (place / name).mkdir(parents=True, exist_ok=True)
    settings = {f"{split}_rows": rows for split, rows in ROWS.items()}
    (place / "stage.json").write_text(
        json.dumps({"seed": seed, "settings": settings, "world": "scored", "train_share": 1.0})
    )
    run_program(folder.recipe["recipe.py"], step, place)
