"""The grader of privacy: networks and attacks against figures worked out by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program, run_program

Array = npt.NDArray[Any]
Load = Callable[[str], ModuleType]

READINGS, CLASSES = 64, 10


@pytest.fixture(scope="module")
def load() -> Load:
    folder = find_task("privacy").grader

    def load_module(name: str) -> ModuleType:
        return load_program(folder[f"{name}.py"])

    return load_module


def packed(layers: int, width: int, *arrays: Array, normalised: bool = False) -> Array:
    return np.concatenate([[layers, width, normalised], *(array.ravel() for array in arrays)]).astype(np.float32)


def linear(weights: Array, biases: Array | None = None) -> Array:
    return packed(0, 1, weights, np.zeros(CLASSES) if biases is None else biases)


def exam(rng: np.random.Generator, audited: int = 400, models: int = 4) -> dict[str, Array]:
    """Images of noise with labels of noise."""
    members = np.zeros((models, audited), dtype=bool)
    for row in members:
        row[rng.permutation(audited)[: audited // 2]] = True
    return {
        "audit_vectors": rng.uniform(0, 1, (audited, READINGS)),
        "audit_labels": rng.integers(0, CLASSES, audited),
        "members": members,
        "accuracy_vectors": rng.uniform(0, 1, (300, READINGS)),
        "accuracy_labels": rng.integers(0, CLASSES, 300),
    }


def learned_by_heart(labels: dict[str, Array], model: int, sign: float = 1.0) -> Array:
    """A linear network that was pulled towards (or away from) its own members' labels."""
    members = labels["members"][model]
    vectors = labels["audit_vectors"][members] - 0.5
    return linear(sign * np.eye(CLASSES)[labels["audit_labels"][members]].T @ vectors)


def test_it_runs_as_the_harness_runs_it(load: Load, tmp_path: Path):
    labels = exam(np.random.default_rng(0), audited=40)
    for folder in ("labels", "out"):
        (tmp_path / folder).mkdir()
    for name, array in labels.items():
        np.save(tmp_path / "labels" / f"{name}.npy", array)
    np.save(tmp_path / "answers.npy", np.stack([learned_by_heart(labels, model) for model in range(4)]))
    program = find_task("privacy").grader["grade.py"]
    run_program(program, tmp_path)
    assert json.loads((tmp_path / "out" / "grade.json").read_text())["score"] > 0
