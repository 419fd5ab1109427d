from dataclasses import replace

from fmlbench.engine.verification import Result, check_measures
from fmlbench.metrics.measure import Missing
from tests.unit.metrics.groups_of_runs import run


def results(logged: dict[str, object], **changes: object) -> list[Result]:
    again = replace(run(0.25, embedder="offline-1"), **changes)
    return [check.result for check in check_measures(logged, "offline-1", again)]


def test_rounding_differences_are_tolerated():
    assert results({"auc": 0.25 * (1 + 1e-9), "diversity": 0.25}) == [Result.REPRODUCED] * 2


def test_another_figure_is_a_difference():
    assert results({"auc": 0.2501}) == [Result.DIFFERENT]


def test_missing_is_not_zero():
    missing = {"auc": Missing("no step was taken")}
    assert results({"auc": 0.0}, values=missing) == [Result.DIFFERENT]
    assert results({"auc": {"why": "no step was taken"}}, values=missing) == [Result.REPRODUCED]


def test_measures_of_another_embedder_are_not_checked():
    assert results({"diversity": 0.25, "auc": 0.25}, embedder=None) == [Result.NOT_CHECKED, Result.REPRODUCED]


def test_an_unknown_measure_is_not_checked():
    assert results({"academic_contribution": 0.5}) == [Result.NOT_CHECKED]
