"""The jobs of an experiment's stages, their mounts and limits, and the folder of one experiment.

EXPERIMENT/
  tree/              pinned upstream + the task's files + the candidate's editable files
  carry/             the only folder that passes from stage to stage
    NAME/            output of a stage with `alone = true`; such a stage sees only this part of carry/
  trained            exists once all training stages have succeeded
  train-NAME/        a training stage: stage.json, its log, and out/
  exam-NUMBER/       one exam; the machine's secret determines the number
    NUMBER/          an exam pass: all questions, or the batch of repeated questions
    grade/           the grader's files
"""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.task import ExamName, Limits, Training
from fmlbench.experiment.prepared_task import KIT, PreparedTask
from fmlbench.experiment.samples import Sample
from fmlbench.experiment.secret import Secret
from fmlbench.sandbox.protocol import Job, Mount, mounts_of


@dataclass(frozen=True)
class ExperimentDir:
    """An experiment's folder; candidates can read their mounts' source paths, so exam names are secret numbers."""

    path: Path
    label: str
    """The experiment's label, from which the names of its exams are derived."""
    secret: Secret

    @property
    def tree(self) -> Path:
        """The candidate's repository."""
        return self.path / "tree"

    @property
    def carry(self) -> Path:
        """The folder that passes from stage to stage."""
        return self.path / "carry"

    @property
    def trained(self) -> Path:
        """The file that marks a completed training."""
        return self.path / "trained"

    def training(self, training: Training) -> Path:
        """The folder of a training stage."""
        return self.path / f"train-{training.name}"

    def exam(self, exam: ExamName) -> Path:
        """The folder of an exam."""
        return self.path / f"exam-{self.secret.number('exam', self.label, exam)}"

    def exam_pass(self, exam: ExamName, name: str) -> Path:
        """The folder of an exam pass."""
        return self.exam(exam) / str(self.secret.number("exam_pass", self.label, exam, name))

    def grading(self, exam: ExamName) -> Path:
        """The folder of the grader."""
        return self.exam(exam) / "grade"


@dataclass(frozen=True)
class Stages:
    """Builds the jobs of one candidate on one sample."""

    prepared: PreparedTask
    sample: Sample
    dir: ExperimentDir
    stop: threading.Event

    def training(self, training: Training) -> Job:
        """The job of a training stage; it writes the codebase's native files to ``out``."""
        folder = self.dir.training(training)
        out = folder / "out"
        out.mkdir(parents=True)
        carry = self.dir.carry / training.name if training.alone else self.dir.carry
        carry.mkdir(exist_ok=True)
        mounts = (
            Mount(carry, "carry", writable=True),
            Mount(out, "out", writable=True),
            *(Mount(self.sample.visible(part), f"data/{part}") for part in training.data),
        )
        return self._job(training.name, training.limits, folder, mounts)

    def exam(self, exam: ExamName, exam_pass: str, mounts: Sequence[Mount], pipe: tuple[int, int] | None) -> Job:
        """The job of an exam pass, with the mounts of the pass and, for streamed exams, the job's pipe ends."""
        folder = self.dir.exam_pass(exam, exam_pass)
        mounts = (Mount(self.dir.carry, "carry"), *mounts)
        # The stage is always named "exam", so that candidates cannot distinguish validation from test.
        return self._job("exam", self.prepared.track.exam.limits, folder, mounts, job=f"{exam}-{exam_pass}", pipe=pipe)

    def _job(
        self,
        stage: str,
        limits: Limits,
        folder: Path,
        mounts: Sequence[Mount],
        *,
        job: str = "",
        pipe: tuple[int, int] | None = None,
    ) -> Job:
        track = self.prepared.track
        facts = {
            "stage": stage,
            "seed": self.sample.seed,
            "threads": track.threads,
            "settings": track.settings,
            "pipe": pipe,
        }
        (folder / "stage.json").write_text(json.dumps(facts), "utf-8")
        return Job(
            name=f"{self.dir.label}-{job or stage}",
            python=self.prepared.python,
            script="kit/start.py",
            arguments=("task/driver.py",),
            mounts=(
                Mount(self.dir.tree, "repo"),
                *mounts_of(self.prepared.folder.experiment, "task"),
                Mount(KIT, "kit"),
                Mount(folder / "stage.json", "stage.json"),
                *mounts,
            ),
            limits=limits,
            log=folder / "log.txt",
            threads=track.threads,
            devices=track.devices,
            pass_fds=pipe or (),
            stop=self.stop,
        )
