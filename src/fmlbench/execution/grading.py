"""Have answers graded by the task's grader: a process that holds the labels and imports no candidate code."""

import json
import math
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.record import Record
from fmlbench.core.task import ExamName
from fmlbench.execution.collecting import Array
from fmlbench.execution.prepared import PreparedTask
from fmlbench.execution.sandbox import Ending, Execution, Job, Mount


class Grade(Record):
    """What a grader writes."""

    score: float
    metrics: dict[str, float] = {}
    standard_errors: dict[str, float] = {}
    """Of the score (under the metric's name) and of side metrics, as far as the grader can tell."""
    refused: str = ""
    """Why these answers cannot be graded at all; the score is then ignored."""


def grade(
    prepared: PreparedTask, answers: Array, labels: Path, exam: ExamName, job_name: str, folder: Path
) -> tuple[Grade, Execution]:
    """Grade answers that are in the order of the labels; ``folder`` is this grading's own."""
    out = folder / "out"
    out.mkdir(parents=True)
    np.save(folder / "answers.npy", answers, allow_pickle=False)
    facts = {"exam": str(exam), "settings": prepared.track.settings}
    (folder / "stage.json").write_text(json.dumps(facts), "utf-8")
    execution = prepared.sandbox.run(
        Job(
            name=f"{job_name}-grade-{exam}",
            python=prepared.python,
            script="grader/grade.py",
            mounts=(
                Mount(prepared.folder.grader, "grader"),
                Mount(labels, "labels"),
                Mount(folder / "answers.npy", "answers.npy"),
                Mount(folder / "stage.json", "stage.json"),
                Mount(out, "out", writable=True),
            ),
            limits=prepared.track.grading,
            log=folder / "grader.log",
            threads=prepared.track.threads,
            isolated=True,
        )
    )
    return _read_grade(prepared, execution, out / "grade.json"), execution


def _read_grade(prepared: PreparedTask, execution: Execution, path: Path) -> Grade:
    if execution.ending is not Ending.OK:
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
    if not graded.refused and not math.isfinite(graded.score):
        return graded.model_copy(update={"refused": "the score is not a finite number"})
    return graded
