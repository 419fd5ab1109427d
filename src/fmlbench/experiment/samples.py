"""Splits and samples: what a task's dataset builder (data/recipe.py) makes of the raw data.

Splits are built once. A sample takes from them, by a secret seed, the training rows, the exam questions and their
order.

    SAMPLE/
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
from fmlbench.experiment.prepared_task import KIT, PreparedTask
from fmlbench.experiment.secret import Secret
from fmlbench.sandbox.protocol import ExitKind, Job, Mount, Sandbox, TaskPython, mounts_of
from fmlbench.tasks.folder import TaskFolder
from fmlbench.workspace.files import exclusive, replace_folder, scratch_beside


@dataclass(frozen=True)
class Sample:
    """One sample of a task's data."""

    path: Path
    seed: int
    """The candidate's random seed; unrelated to the seed of the sample."""

    def visible(self, part: str) -> Path:
        """A part that training stages may mount."""
        return self.path / part

    def questions(self, exam: ExamName) -> Path:
        """An exam's unlabelled questions."""
        return self.path / exam / "questions"

    def labels(self, exam: ExamName) -> Path:
        """An exam's labels; mounted only for the grader."""
        return self.path / exam / "labels"


@dataclass(frozen=True)
class DatasetBuilder:
    """Runs a task's data/recipe.py."""

    folder: TaskFolder
    track: Track
    python: TaskPython
    sandbox: Sandbox
    world: World = World.SCORED
    train_share: float = 1.0

    def run_step(
        self,
        step: str,
        mounts: Mapping[str, tuple[Path, bool]],
        seed: int,
        scratch: Path,
    ) -> None:
        """Run ``prepare`` or ``draw`` of recipe.py; it is the task's code, so a failure is never the candidate's."""
        facts = {"seed": seed, "settings": self.track.settings, "world": self.world, "train_share": self.train_share}
        (scratch / "stage.json").write_text(json.dumps(facts))
        job = Job(
            name=f"{self.folder.task.name}-{step}{scratch.name}",
            python=self.python,
            script="kit/start.py",
            arguments=("recipe/recipe.py", step),
            mounts=(
                Mount(KIT, "kit"),
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
                f"The dataset builder of '{self.folder.task.name}' failed at '{step}': {execution.reason}.",
                hint=f"The end of its log: {execution.log_tail.strip()[-600:] or 'empty'}",
            )


def make_splits(builder: DatasetBuilder, raw: Mapping[str, Path], splits: Path, secret: Secret) -> None:
    """Build a task's splits from its raw data, once.

    The seed matters for synthetic data: with a known seed, anyone could generate the same data with its labels.
    """
    with exclusive(splits):
        if splits.exists():
            return
        with scratch_beside(splits) as scratch:
            built = scratch / "splits"
            built.mkdir()
            mounts = {f"raw/{name}": (path, False) for name, path in raw.items()}
            seed = secret.seed("pools", builder.folder.digest)
            builder.run_step("prepare", {**mounts, "pools": (built, True)}, seed, scratch)
            replace_folder(built, splits)


def make_sample(prepared: PreparedTask, *words: str | int) -> Sample:
    """The sample for these words; built at the first call and cached."""
    # The starved control is the same sample with fewer training examples, so its size is not part of the seed.
    words = words if prepared.world is World.SCORED else (prepared.world.value, *words)
    seed = prepared.secret.seed("draw", prepared.folder.digest, *words)
    size = "" if prepared.train_share == 1 else f"-share-{prepared.train_share:g}"
    path = prepared.samples / ("-".join(str(word) for word in words) + size)
    sample = Sample(path=path, seed=prepared.secret.number("stage", prepared.folder.digest, *words))
    if path.exists():
        return sample
    builder = DatasetBuilder(
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
                built = scratch / "out"
                built.mkdir()
                builder.run_step("draw", {"pools": (prepared.splits, False), "out": (built, True)}, seed, scratch)
                _check_sample(prepared, built)
                replace_folder(built, path)
    return sample


def _check_sample(prepared: PreparedTask, built: Path) -> None:
    parts = {part for training in prepared.track.training for part in training.data}
    exams = [f"{exam}/{what}" for exam in ExamName for what in ("questions", "labels")]
    missing = [name for name in (*sorted(parts), *exams) if not (built / name).is_dir()]
    if missing:
        raise InfraTrouble(
            f"The dataset builder of '{prepared.task.name}' did not write {', '.join(missing)}.",
            hint="docs/writing-tasks.md describes the contents of a sample.",
        )
