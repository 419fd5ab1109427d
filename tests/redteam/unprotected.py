"""A stage without any walls: what an attack does where nothing stops it."""

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

from fmlbench.redteam.attack import Arm, AttackContext, Target
from fmlbench.redteam.canaries import Canaries
from fmlbench.tasks.folder import TaskFolder

ROWS = {"train": 800, "validation": 1000, "test": 1000}


@dataclass(frozen=True)
class OpenToy:
    """The toy task laid out in a folder, ready to be attacked."""

    folder: TaskFolder
    root: Path
    draw: Path
    """Questions with their labels, where an attack may look for them."""
    target: Target

    def arm(self, arm: Arm) -> None:
        """Let the candidate's tree be an attack."""
        codebase = self.folder.path / "codebase"
        files = {path.relative_to(codebase).as_posix(): path.read_text() for path in codebase.rglob("*.py")}
        ground = AttackContext("toy", files, self.folder.task.editable.suggested, {}, self.target)
        for path, text in arm(ground).files.items():
            (self.root / "repo" / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "repo" / path).write_text(text)

    def run(self, stage: str, rows: slice = slice(None), name: str = "out", *, planted: bool = False) -> str:
        """Run a stage to its end and return what it printed; an exam asks the test's questions of these rows."""
        with self.running(stage, rows, name, planted=planted) as process:
            output, _ = process.communicate(timeout=60)
        return output

    @contextmanager
    def running(
        self, stage: str, rows: slice, name: str, *, planted: bool = False
    ) -> Generator["subprocess.Popen[str]"]:
        """A stage in a process of its own, in a folder beside the others; with ``planted``, labels lie in it."""
        world = self.root / name
        world.mkdir()
        for folder in ("repo", "carry"):
            (world / folder).symlink_to(self.root / folder)
        # Copies: what an attack could do to the originals, it would.
        shutil.copytree(self.folder.experiment.folders[0], world / "task")
        shutil.copytree(str(resources.files("fmlbench.experiment") / "kit"), world / "kit")
        if planted:
            shutil.copytree(self.draw / "test", world / "planted")
        (world / "data").symlink_to(self.draw)
        for folder in ("out", "scratch", "questions"):
            (world / folder).mkdir()
        inputs = np.load(self.draw / "test" / "questions" / "inputs.npy")[rows]
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
        """What a stage handed in, read as a naive harness would."""
        return np.load(self.root / name / "out" / "answers.npy")

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """The right answers."""
        return np.load(self.draw / "test" / "labels" / "labels.npy")


def lay_out_open_toy(folder: TaskFolder, root: Path, lay_out_canaries: Canaries, seed: int) -> OpenToy:
    """Make data with the task's own recipe, and a place where everything can be reached."""
    draw = root / "made" / "out"
    _cook(folder, root / "made", "prepare", seed)
    _cook(folder, root / "made", "draw", seed + 1)
    (root / "carry").mkdir()
    target = Target(
        mark="unprotected",
        token=lay_out_canaries.token,
        harness_pid=os.getpid(),
        draws=(str(draw),),
        pools=str(root / "made" / "pools"),
        secret=str(root / "secret"),
        bait_folder=str(lay_out_canaries.folder),
        port=lay_out_canaries.port,
        abstract_socket=lay_out_canaries.abstract_socket,
        path_socket=str(lay_out_canaries.path_socket),
    )
    return OpenToy(folder, root, draw, target)


def _cook(folder: TaskFolder, place: Path, step: str, seed: int) -> None:
    for name in ("pools", "out"):
        (place / name).mkdir(parents=True, exist_ok=True)
    settings = {f"{pool}_rows": rows for pool, rows in ROWS.items()}
    (place / "stage.json").write_text(
        json.dumps({"seed": seed, "settings": settings, "world": "scored", "train_share": 1.0})
    )
    subprocess.run([sys.executable, folder.recipe / "recipe.py", step, place], check=True, timeout=60)
