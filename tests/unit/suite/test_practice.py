"""Practice pools are cut from training data alone: rows of the exams' pools never get there."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task

ROWS = 1000
TRAINING = range(ROWS)
"""Every row shows its own number; those of the exams' pools start higher."""

Rows = npt.NDArray[np.int64]


def make_folders(pools: Path, data: str = "images") -> None:
    """A folder for each pool, as most tasks have them."""
    for number, pool in enumerate(("train", "validation", "test")):
        (pools / pool).mkdir(parents=True)
        np.save(pools / pool / f"{data}.npy", rows(number))
        np.save(pools / pool / "labels.npy", np.arange(ROWS) * 10 // ROWS)


def rows(pool: int) -> Rows:
    return np.arange(pool * ROWS, (pool + 1) * ROWS)


def make_fairness(pools: Path) -> None:
    for source in ("compas", "adult"):
        every = np.concatenate([rows(pool) for pool in range(3)])
        np.savez(pools / f"{source}.npz", rows=every, labels=every % 2, pool=np.repeat(np.arange(3), ROWS))


def make_causality(pools: Path) -> None:
    every = np.concatenate([rows(pool) for pool in range(3)])
    for name, array in {"covariates": every, "treatment": every % 2, "split": np.repeat(np.arange(3), ROWS)}.items():
        np.save(pools / f"{name}.npy", array)


def make_toy(pools: Path) -> None:
    for number, pool in enumerate(("train", "validation", "test")):
        np.savez(pools / f"{pool}.npz", inputs=rows(number), labels=rows(number) % 4)


def read_folders(practice: Path, data: str = "images") -> list[Rows]:
    return [np.load(practice / pool / f"{data}.npy") for pool in ("train", "validation", "test")]


def read_fairness(practice: Path) -> list[Rows]:
    stored = np.load(practice / "compas.npz")
    return [stored["rows"][stored["pool"] == pool] for pool in range(3)]


def read_causality(practice: Path) -> list[Rows]:
    covariates, split = np.load(practice / "covariates.npy"), np.load(practice / "split.npy")
    return [covariates[split == part] for part in range(3)]


def read_toy(practice: Path) -> list[Rows]:
    return [np.load(practice / f"{pool}.npz")["inputs"] for pool in ("train", "validation", "test")]


TASKS: dict[str, tuple[Callable[[Path], None], Callable[[Path], list[Rows]]]] = {
    "toy": (make_toy, read_toy),
    "data-efficiency": (make_folders, read_folders),
    "generalization": (partial(make_folders, data="digits"), partial(read_folders, data="digits")),
    "continual-learning": (make_folders, read_folders),
    "robustness": (partial(make_folders, data="digits"), partial(read_folders, data="digits")),
    "representation-learning": (make_folders, read_folders),
    "fairness": (make_fairness, read_fairness),
    "causality": (make_causality, read_causality),
}


@pytest.mark.parametrize("name", TASKS)
def test_practice_is_cut_from_training_rows_each_in_one_pool(name: str, tmp_path: Path):
    make, read = TASKS[name]
    for folder in ("pools", "practice"):
        (tmp_path / folder).mkdir()
    make(tmp_path / "pools")
    program = find_task(name).practice
    assert program
    subprocess.run([sys.executable, program, "practice", tmp_path], check=True, timeout=100)
    pools = read(tmp_path / "practice")
    assert sorted(row for pool in pools for row in pool.tolist()) == list(TRAINING)
    assert all(len(pool) for pool in pools)
