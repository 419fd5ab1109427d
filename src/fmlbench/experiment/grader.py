"""Have answers graded by the task's grader: a process that holds the labels and imports no candidate code."""

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
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.stages import KIT
from fmlbench.sandbox.protocol import Execution, ExitKind, Job, Mount, RunJob, mounts_of


class Grade(Record):
    """What a grader writes."""

    score: float
    metrics: dict[str, float] = {}
    """Side metrics; what is not a finite number is left out."""
    standard_errors: dict[str, float] = {}
    """Of the score (under the metric's name) and of side metrics, as far as the grader can tell."""
    refused: str = ""
    """Why these answers cannot be graded at all; the score is then ignored."""


@dataclass(frozen=True)
class GraderRun:
    """One grading: made before there are answers, so that the grader can get ready meanwhile."""

    prepared: PreparedTask
    labels: Path
    exam: ExamName
    job_name: str
    folder: Path
    """This grading's own."""

    @cached_property
    def job(self) -> Job:
        """The grader's job; making it makes the folder, with an empty file where the answers will be."""
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
        # Written into the file that is there: a grader that has got ready sees that one and no other.
        np.save(self._answers, answers, allow_pickle=False)
        return _read_grade(self.prepared, run(job), self.folder / "out" / "grade.json")

    @property
    def _answers(self) -> Path:
        return self.folder / "answers.npy"


def _read_grade(prepared: PreparedTask, execution: Execution, path: Path) -> Grade:
    if execution.ending is not ExitKind.OK:
        raise InfraTrouble(
            f"The grader of '{prepared.task.name}' failed: {execution.reason}.",
            hint=f"Its last words: {execution.log_tail.strip()[-600:] or 'none'}",
        )
    try:
        graded = Grade.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise InfraTrouble(
            f"The grader of '{prepared.task.name}' wrote no grade: {error}.",
            hint="fmlbench tasks check tells more.",
        ) from error
    refused = graded.refused or ("" if math.isfinite(graded.score) else "the score is not a finite number")
    figures = {"metrics": _finite(graded.metrics), "standard_errors": _finite(graded.standard_errors)}
    return graded.model_copy(update={"refused": refused, **figures})


def _finite(figures: Mapping[str, float]) -> dict[str, float]:
    """Those that are numbers: JSON knows no others, and a rule would let them pass."""
    return {name: value for name, value in figures.items() if math.isfinite(value)}
