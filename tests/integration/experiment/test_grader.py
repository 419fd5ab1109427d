from pathlib import Path

import numpy as np
import pytest

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.task import ExamName
from fmlbench.experiment.grader import Grade, GraderRun
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.sandbox.protocol import Execution, ExitKind, Job

pytestmark = pytest.mark.sandbox


def grade(toy: PreparedTask, folder: Path, written: str, ending: ExitKind = ExitKind.OK) -> Grade:
    """The grade read from a grader with this output."""

    def run(job: Job) -> Execution:
        (folder / "out" / "grade.json").write_text(written)
        return Execution(ending, "gave up", 0, 0.1, 0.1, 10.0, "last words")

    return GraderRun(toy, folder / "labels", ExamName.TEST, "test", folder).grade(np.zeros(3, np.int64), run)


def test_figures_that_are_not_finite_are_dropped(toy: PreparedTask, tmp_path: Path):
    written = '{"score": 0.5, "metrics": {"good": 0.25, "odd": NaN}, "standard_errors": {"good": Infinity}}'
    assert grade(toy, tmp_path, written) == Grade(score=0.5, metrics={"good": 0.25})


@pytest.mark.parametrize("score", ["NaN", "-Infinity"])
def test_a_score_that_is_not_finite_is_refused(toy: PreparedTask, tmp_path: Path, score: str):
    assert "finite" in grade(toy, tmp_path, f'{{"score": {score}}}').refused


def test_a_grader_that_fails_or_writes_nothing_is_an_infrastructure_failure(toy: PreparedTask, tmp_path: Path):
    with pytest.raises(InfraTrouble, match="gave up") as caught:
        grade(toy, tmp_path / "failed", "", ExitKind.CRASHED)
    assert "last words" in caught.value.hint
    with pytest.raises(InfraTrouble, match="wrote no valid grade"):
        grade(toy, tmp_path / "silent", "{}")
