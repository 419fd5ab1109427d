"""Library for graders: load answers and labels, write the grade. It is placed next to the task's grade.py.

ROOT/
  answers.npy      row i answers question i
  labels/          the labels of the exam, as the dataset builder wrote them
  stage.json       exam, settings
  out/grade.json   score, metrics, standard_errors, refused

python grade.py ROOT
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Grade = dict[str, Any]
"""`score`, `metrics` and `standard_errors`; or `score` and `refused`."""


def refuse(reason: str, score: float = 0.0) -> Grade:
    """The grade of answers that cannot be graded; the score is ignored."""
    return {"score": score, "refused": reason}


def main(grade: Callable[..., Grade]) -> None:
    """Call ``grade(answers, NAME=array, ...)`` with every array of labels, and write its result."""
    root = Path(sys.argv[1])
    labels = {file.stem: np.load(file, allow_pickle=False) for file in sorted((root / "labels").glob("*.npy"))}
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, **labels)), "utf-8")
