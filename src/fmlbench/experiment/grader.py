"""Run the task's grader: a separate process that reads the labels and imports no candidate code."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.record import Record
from fmlbench.core.task import ExamName
from fmlbench.experiment.answers import Array
from fmlbench.experiment.prepared_task import KIT, PreparedTask
from fmlbench.sandbox.protocol import Execution, ExitKind, Job, Mount, RunJob, mounts_of


class Grade(Record):
    """The output of a grader."""

    score: float
    metrics: dict[str, float] = {}
    """Side metrics; values that are not finite are dropped."""
    standard_errors: dict[str, float] = {}
    """Of the score (under the metric's name) and of side metrics, as far as the grader computes them."""
    refused: str = ""
    """Why the answers cannot be graded; the score is then ignored."""


@dataclass(frozen=True)
class GraderRun:
    """One run of the grader; created before the answers exist, so that its process can start ahead."""

    prepared: PreparedTask
    labels: Path
    exam: ExamName
    job_name: str
    folder: Path
    """Belongs to this run alone."""

    @cached_property
    def job(self) -> Job:
        """The grader's job; building it creates the folder with an empty answers file."""
        out = self.folder / "out"
        out.mkdir(parents=True)
        self._answers.touch()
        facts = {"exam": str(self.exam), "settings": self.prepared.track.settings}
        (self.folder / "stage.json").write_text(json.dumps(facts), "utf-8")
        return Job(
            name=f"{self.job_name}-grade-{self.exam}",
            python=self.prepared.python,
            script="kit/start.py",
            arguments=("grader/grade.py",),
            mounts=(
                *mounts_of(self.prepared.folder.grader, "grader"),
                Mount(KIT, "kit"),
                Mount(self.labels, "labels"),
                Mount(self._answers, "answers.npy"),
                Mount(self.folder / "stage.json", "stage.json"),
                Mount(out, "out", writable=True),
            ),
            limits=self.prepared.track.grading,
            log=self.folder / "grader.log",
            threads=self.prepared.track.threads,
            isolated=True,
        )

    def grade(self, answers: Array, run: RunJob) -> Grade:
        """Grade answers that are in the order of the labels."""
        job = self.job
        # The existing file is overwritten: a grader that started ahead has this inode mounted.
        np.save(self._answers, answers, allow_pickle=False)
        return _read_grade(self.prepared, run(job), self.folder / "out" / "grade.json")

    @property
    def _answers(self) -> Path:
        return self.folder / "answers.npy"


def _read_grade(prepared: PreparedTask, execution: Execution, path: Path) -> Grade:
    if execution.ending is not ExitKind.OK:
        raise InfraTrouble(
            f"The grader of '{prepared.task.name}' failed: {execution.reason}.",
            hint=f"The end of its log: {execution.log_tail.strip()[-600:] or 'empty'}",
        )
    try:
        graded = Grade.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise InfraTrouble(
            f"The grader of '{prepared.task.name}' wrote no valid grade: {error}.",
            hint="Run 'fmlbench tasks check' for details.",
        ) from error
    refused = graded.refused or ("" if math.isfinite(graded.score) else "the score is not a finite number")
    figures = {"metrics": _finite(graded.metrics), "standard_errors": _finite(graded.standard_errors)}
    return graded.model_copy(update={"refused": refused, **figures})


def _finite(figures: Mapping[str, float]) -> dict[str, float]:
    """Drop NaN and infinity: JSON cannot represent them, and comparisons with NaN would pass every rule."""
    return {name: value for name, value in figures.items() if math.isfinite(value)}
