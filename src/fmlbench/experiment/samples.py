"""Pools and draws: what a task's recipe makes of the raw data.

Pools are fixed once. A draw takes from them, by a seed, what candidates cannot choose: which rows to train on, which
questions are asked, in which order.

    DRAW/
      train/ ...              visible parts
      validation/questions/   unlabelled
      validation/labels/      mounted for the grader only
      test/questions/
      test/labels/
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.task import ExamName, Track, World
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.secret import Secret
from fmlbench.sandbox.protocol import ExitKind, Job, Mount, Sandbox, TaskPython, mounts_of
from fmlbench.tasks.folder import TaskFolder
from fmlbench.workspace.files import exclusive, replace_folder, scratch_beside


@dataclass(frozen=True)
class Sample:
    """One draw, by the words it was drawn for."""

    path: Path
    seed: int
    """Given to candidates for their own dice; it says nothing about the draw."""

    def visible(self, part: str) -> Path:
        """A part that training may see."""
        return self.path / part

    def questions(self, exam: ExamName) -> Path:
        """An exam's unlabelled questions."""
        return self.path / exam / "questions"

    def labels(self, exam: ExamName) -> Path:
        """An exam's labels: for the grader alone."""
        return self.path / exam / "labels"


@dataclass(frozen=True)
class DatasetBuilder:
    """A task's data recipe and what it runs with."""

    folder: TaskFolder
    track: Track
    python: TaskPython
    sandbox: Sandbox
    world: World = World.SCORED
    train_share: float = 1.0

    def cook(
        self,
        step: str,
        mounts: Mapping[str, tuple[Path, bool]],
        seed: int,
        scratch: Path,
    ) -> None:
        """Run one step of the recipe; it is the task's own code, so a failure is never the candidate's."""
        facts = {"seed": seed, "settings": self.track.settings, "world": self.world, "train_share": self.train_share}
        (scratch / "stage.json").write_text(json.dumps(facts))
        job = Job(
            name=f"{self.folder.task.name}-{step}{scratch.name}",
            python=self.python,
            script="recipe/recipe.py",
            arguments=(step,),
            mounts=(
                *mounts_of(self.folder.recipe, "recipe"),
                Mount(scratch / "stage.json", "stage.json"),
                *(Mount(path, target, writable) for target, (path, writable) in mounts.items()),
            ),
            limits=self.track.grading.model_copy(update={"disk_mb": 4096, "files": 100_000}),
            log=scratch / "recipe.log",
            isolated=True,
        )
        execution = self.sandbox.run(job)
        if execution.ending is not ExitKind.OK:
            raise InfraTrouble(
                f"The data recipe of '{self.folder.task.name}' failed at '{step}': {execution.reason}.",
                hint=f"Its last words: {execution.log_tail.strip()[-600:] or 'none'}",
            )


def make_splits(recipe: DatasetBuilder, raw: Mapping[str, Path], pools: Path, secret: Secret) -> None:
    """Make a task's pools from its raw data, once.

    The seed is for tasks whose data is made up: whoever knew it could make up the same data, labels and all.
    """
    with exclusive(pools):
        if pools.exists():
            return
        with scratch_beside(pools) as scratch:
            made = scratch / "pools"
            made.mkdir()
            mounts = {f"raw/{name}": (path, False) for name, path in raw.items()}
            seed = secret.seed("pools", recipe.folder.digest)
            recipe.cook("prepare", {**mounts, "pools": (made, True)}, seed, scratch)
            replace_folder(made, pools)


def make_sample(prepared: PreparedTask, *words: str | int) -> Sample:
    """The draw for these words; made at the first call, the same ever after."""
    # The starved control is the same sample with less to learn from, so its size is no part of the seed.
    words = words if prepared.world is World.SCORED else (prepared.world.value, *words)
    seed = prepared.secret.seed("draw", prepared.folder.digest, *words)
    size = "" if prepared.train_share == 1 else f"-share-{prepared.train_share:g}"
    path = prepared.draws / ("-".join(str(word) for word in words) + size)
    draw = Sample(path=path, seed=prepared.secret.number("stage", prepared.folder.digest, *words))
    if path.exists():
        return draw
    recipe = DatasetBuilder(
        prepared.folder,
        prepared.track,
        prepared.python,
        prepared.sandbox,
        world=prepared.world,
        train_share=prepared.train_share,
    )
    with exclusive(path):
        if not path.exists():
            with scratch_beside(path) as scratch:
                made = scratch / "out"
                made.mkdir()
                recipe.cook("draw", {"pools": (prepared.pools, False), "out": (made, True)}, seed, scratch)
                _check_draw(prepared, made)
                replace_folder(made, path)
    return draw


def _check_draw(prepared: PreparedTask, made: Path) -> None:
    parts = {part for training in prepared.track.training for part in training.data}
    exams = [f"{exam}/{what}" for exam in ExamName for what in ("questions", "labels")]
    missing = [name for name in (*sorted(parts), *exams) if not (made / name).is_dir()]
    if missing:
        raise InfraTrouble(
            f"The data recipe of '{prepared.task.name}' did not write {', '.join(missing)}.",
            hint="docs/writing-tasks.md says what a draw must hold.",
        )
