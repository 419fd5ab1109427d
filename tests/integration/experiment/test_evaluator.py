from pathlib import Path

import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import ExamName
from fmlbench.experiment.evaluator import CandidateEvaluator
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.workspace.trees import editable_files

pytestmark = pytest.mark.sandbox


@pytest.fixture
def evaluator(toy: PreparedTask, tmp_path: Path) -> CandidateEvaluator:
    return CandidateEvaluator(
        prepared=toy,
        files=editable_files(toy.codebase, toy.task.editable),
        folder=tmp_path / "bench",
        label="evaluator",
        purpose=("step", 7),
    )


def test_the_same_code_on_the_same_seed_gets_the_same_score_twice(evaluator: CandidateEvaluator):
    first, again = evaluator.validate({}), evaluator.validate({})
    assert first.outcome is Outcome.OK
    assert (first.score, first.metrics) == (again.score, again.metrics)


def test_the_test_is_taken_with_the_model_that_was_validated(evaluator: CandidateEvaluator, tmp_path: Path):
    evaluator.validate({})
    model = next(evaluator.folder.rglob("model.npz")).stat()
    assert evaluator.take_test({}).outcome is Outcome.OK
    assert next(evaluator.folder.rglob("model.npz")).stat().st_mtime_ns == model.st_mtime_ns


def test_an_interrupted_training_is_repeated(evaluator: CandidateEvaluator):
    (evaluator.folder / "sample-0" / "carry").mkdir(parents=True)
    assert evaluator.take_test({}).outcome is Outcome.OK


def test_answers_and_logs_are_kept_and_the_experiments_are_removed(evaluator: CandidateEvaluator, tmp_path: Path):
    evaluator.validate({})
    evaluator.keep(ExamName.VALIDATION, tmp_path / "kept")
    evaluator.clear()
    assert not evaluator.folder.exists()
    kept = {path.name for path in (tmp_path / "kept" / "sample-0").iterdir()}
    assert "answers.npy" in kept
    assert any(name.endswith(".log") for name in kept)
