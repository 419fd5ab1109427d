"""Where the parts of one experiment lie.

BENCH/
  tree/              pinned upstream + the task's files + the candidate's editable files
  carry/             the only thing that passes from stage to stage
    NAME/            what a stage left that trains alone: all of carry/ that such a stage sees
  trained            there once all training stages have ended well
  train-NAME/        a training stage: its facts, its log, what it left in out/
  exam-NUMBER/       one exam; which one, only the machine's secret tells
    NUMBER/          a sitting: the one that is graded, or a part of the questions once more in other company
    grade/           the grader's side, where the labels are
"""

from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.task import ExamName, Training
from fmlbench.experiment.secret import Secret


@dataclass(frozen=True)
class ExperimentDir:
    """An experiment's folder; candidates can read where their mounts come from, so names of exams tell nothing."""

    path: Path
    label: str
    """The experiment's own, from which the names of its exams are made."""
    secret: Secret

    @property
    def tree(self) -> Path:
        """The candidate's repository."""
        return self.path / "tree"

    @property
    def carry(self) -> Path:
        """What passes from stage to stage."""
        return self.path / "carry"

    @property
    def trained(self) -> Path:
        """The mark that training came to its end."""
        return self.path / "trained"

    def training(self, training: Training) -> Path:
        """A training stage's own folder."""
        return self.path / f"train-{training.name}"

    def exam(self, exam: ExamName) -> Path:
        """An exam's own folder."""
        return self.path / f"exam-{self.secret.number('exam', self.label, exam)}"

    def exam_pass(self, exam: ExamName, name: str) -> Path:
        """A sitting's own folder."""
        return self.exam(exam) / str(self.secret.number("exam_pass", self.label, exam, name))

    def grading(self, exam: ExamName) -> Path:
        """The grader's own folder."""
        return self.exam(exam) / "grade"
