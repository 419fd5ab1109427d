"""The check of a task's practice questions."""

from fmlbench.core.errors import InfraTrouble
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.engine.admission import check_practice


def test_practice_with_a_score_passes():
    finding = check_practice(lambda: Evaluation(outcome=Outcome.OK, score=0.75))
    assert finding.passed
    assert finding.detail == "the baseline on practice questions: ok 0.7500"


def test_a_task_may_have_no_practice():
    assert check_practice(lambda: None).passed


def test_practice_on_which_the_baseline_fails_does_not_pass():
    finding = check_practice(lambda: Evaluation(outcome=Outcome.CRASHED, reason="exit code 1"))
    assert not finding.passed
    assert finding.detail.endswith("crashed exit code 1")


def test_practice_questions_that_cannot_be_built_do_not_pass():
    def practise() -> Evaluation:
        raise InfraTrouble("The data recipe of 'birds' failed at 'practice'.", hint="")

    finding = check_practice(practise)
    assert (finding.passed, finding.detail) == (False, "The data recipe of 'birds' failed at 'practice'.")
