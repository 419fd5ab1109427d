from pathlib import Path

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import ExamName
from fmlbench.experiment.evaluator import Workbench
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.workspace.trees import editable_files

pytestmark = pytest.mark.sandbox


@pytest.fixture
def workbench(toy: PreparedTask, tmp_path: Path) -> Workbench:
    return Workbench(
        prepared=toy,
        files=editable_files(toy.codebase, toy.task.editable),
        folder=tmp_path / "bench",
        label="workbench",
        purpose=("step", 7),
    )


def test_the_same_code_on_the_same_seed_gets_the_same_score_twice(workbench: Workbench):
    first, again = workbench.validate({}), workbench.validate({})
    assert first.outcome is Outcome.OK
    assert (first.score, first.metrics) == (again.score, again.metrics)


def test_the_test_is_taken_with_the_model_that_was_validated(workbench: Workbench, tmp_path: Path):
    workbench.validate({})
    model = next(workbench.folder.rglob("model.npz")).stat()
    assert workbench.take_test({}).outcome is Outcome.OK
    assert next(workbench.folder.rglob("model.npz")).stat().st_mtime_ns == model.st_mtime_ns


def test_a_model_that_a_kill_left_half_made_is_trained_anew(workbench: Workbench):
    (workbench.folder / "draw-0" / "carry").mkdir(parents=True)
    assert workbench.take_test({}).outcome is Outcome.OK


def test_answers_and_logs_are_kept_and_the_bench_is_cleared(workbench: Workbench, tmp_path: Path):
    workbench.validate({})
    workbench.keep(ExamName.VALIDATION, tmp_path / "kept")
    workbench.clear()
    assert not workbench.folder.exists()
    kept = {path.name for path in (tmp_path / "kept" / "draw-0").iterdir()}
    assert "answers.npy" in kept
    assert any(name.endswith(".log") for name in kept)
