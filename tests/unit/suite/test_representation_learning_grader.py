"""The grader of representation-learning, against figures worked out by hand and against plain linear algebra."""

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.programs import load_grader

Array = npt.NDArray[Any]


@pytest.fixture(scope="module")
def grader() -> ModuleType:
    return load_grader("representation-learning")


LABELS = np.array([3, 5, 3, 5, 3, 5, 3, 5, 3, 3])
FEATURES = np.array([[-1, 1, -1, 1, -1, 1, -2, 2, 1, -1]], dtype=np.float32).T
"""Class 3 lies left of 0 and class 5 right of it, but for the last image but one."""
IS_PROBE = np.array([True] * 6 + [False] * 4)


def test_the_score_is_the_probes_accuracy_on_the_other_images(grader: ModuleType):
    grade = grader.grade(FEATURES, LABELS, IS_PROBE)
    assert grade["score"] == grade["metrics"]["linear_probe_accuracy"] == pytest.approx(3 / 4)
    assert grade["metrics"]["probe_left_out_accuracy"] == 1.0


def test_the_standard_error_is_binomial(grader: ModuleType):
    errors = grader.grade(FEATURES, LABELS, IS_PROBE)["standard_errors"]
    # Three of four: sqrt(3/4 * 1/4 / 4).
    assert errors["linear_probe_accuracy"] == pytest.approx(3**0.5 / 8)


def test_scale_and_place_of_a_feature_do_not_matter(grader: ModuleType):
    rng = np.random.default_rng(0)
    features, labels, is_probe = rng.normal(size=(300, 5)), rng.integers(0, 10, 300), np.arange(300) < 200
    moved = features * np.array([1e-3, 1, 10, 1e4, -1]) + np.array([0, 5, -3, 1e5, 2])
    assert grader.grade(moved, labels, is_probe) == grader.grade(features, labels, is_probe)


def test_weights_are_those_of_ridge_regression(grader: ModuleType):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 60)
    features = rng.normal(size=(60, 4)) + np.eye(3, 4)[labels]
    features -= features.mean(axis=0)
    probe = grader.Probe(features, labels)
    targets = np.eye(3)[labels] - np.eye(3)[labels].mean(axis=0)
    candidates: list[npt.NDArray[np.float64]] = [
        np.linalg.solve(features.T @ features + 60 * penalty * np.eye(4), features.T @ targets)
        for penalty in grader.PENALTIES
    ]
    assert any(np.allclose(probe.weights, weights) for weights in candidates)


def test_leaving_one_out_agrees_with_doing_it(grader: ModuleType):
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, 40)
    features = rng.normal(size=(40, 6)) + np.eye(3, 6)[labels]
    features -= features.mean(axis=0)
    targets, penalty = np.eye(3)[labels], 4.0
    left, sizes, _ = np.linalg.svd(features, full_matrices=False)
    turned = left.T @ (targets - targets.mean(axis=0))
    right = [fit_without(features, targets, row, penalty) == labels[row] for row in range(40)]
    assert 0.3 < np.mean(right) < 1
    assert grader.left_out_accuracy(left, sizes, turned, targets, penalty) == pytest.approx(np.mean(right))


def fit_without(features: Array, targets: Array, row: int, penalty: float) -> int:
    """The class that ridge regression with a free intercept, fitted to all other rows, gives to this one."""
    others = np.arange(len(features)) != row
    columns = np.column_stack([features, np.ones(len(features))])
    ridge = np.diag([penalty] * features.shape[1] + [0.0])
    weights = np.linalg.solve(columns[others].T @ columns[others] + ridge, columns[others].T @ targets[others])
    return int(np.argmax(columns[row] @ weights))


def test_features_that_say_nothing_score_like_one_class(grader: ModuleType):
    labels = np.array([0, 0, 0, 1, 0, 1])
    grade = grader.grade(np.full((6, 3), 7.0, np.float32), labels, np.array([True] * 4 + [False] * 2))
    assert grade["score"] == 0.5


def test_huge_numbers_are_graded(grader: ModuleType):
    features = FEATURES * np.float32(1e38)
    assert grader.grade(features, LABELS, IS_PROBE)["score"] == pytest.approx(3 / 4)


@pytest.mark.parametrize("shape", [(10,), (9, 2), (10, 0), (10, 2, 2)])
def test_features_of_another_shape_are_refused(grader: ModuleType, shape: tuple[int, ...]):
    assert "features" in grader.grade(np.zeros(shape, np.float32), LABELS, IS_PROBE)["refused"]
