import pytest

from fmlbench.core.evaluation import Outcome
from fmlbench.core.task import Rule
from fmlbench.experiment.evaluator import aggregate_grades, find_broken_rule
from fmlbench.experiment.grader import Grade

FLOOR = Rule(metric="accuracy", text="Accuracy must not fall.", at_least=-0.02, relative_to_baseline=True)


def test_a_relative_lower_bound_has_a_tolerance_of_two_standard_errors():
    # The floor is 0.70 - 0.02 = 0.68; with a standard error of 0.01, 0.66 still passes.
    assert find_broken_rule((FLOOR,), {"accuracy": 0.661}, {"accuracy": 0.01}, {"accuracy": 0.70}) == ""
    broken = find_broken_rule((FLOOR,), {"accuracy": 0.659}, {"accuracy": 0.01}, {"accuracy": 0.70})
    assert "Accuracy must not fall." in broken
    assert "0.659" in broken


def test_an_absolute_upper_bound():
    rule = Rule(metric="leak", text="No leak.", at_most=0.1)
    assert find_broken_rule((rule,), {"leak": 0.1}, {}, {}) == ""
    assert find_broken_rule((rule,), {"leak": 0.11}, {}, {})


def test_the_baseline_satisfies_every_relative_rule():
    assert find_broken_rule((FLOOR,), {"accuracy": 0.1}, {}, {}) == ""


def test_a_missing_metric_breaks_the_rule():
    assert (
        find_broken_rule((FLOOR,), {}, {}, {"accuracy": 0.70})
        == "Accuracy must not fall. (accuracy is missing or not finite)"
    )


def test_grades_are_averaged_over_the_metrics_that_all_samples_have():
    # Standard errors of 0.03 and 0.04 make hypot(0.03, 0.04) / 2 = 0.025 of the mean.
    grades = [
        Grade(score=0.4, metrics={"accuracy": 0.7, "gap": 0.1}, standard_errors={"accuracy": 0.03}),
        Grade(score=0.6, metrics={"accuracy": 0.5}, standard_errors={"accuracy": 0.04}),
    ]
    floor = Rule(metric="accuracy", text="Accuracy must be reached.", at_least=0.649)
    evaluation = aggregate_grades((floor,), grades, {})
    assert (evaluation.outcome, evaluation.score) == (Outcome.OK, 0.5)
    assert evaluation.metrics == {"accuracy": pytest.approx(0.6)}
    assert aggregate_grades((floor.model_copy(update={"at_least": 0.651}),), grades, {}).outcome is Outcome.INVALID
