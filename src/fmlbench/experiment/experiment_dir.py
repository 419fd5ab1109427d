"""The folder of one experiment.

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

from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.task import ExamName, Training
from fmlbench.experiment.secret import Secret


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
