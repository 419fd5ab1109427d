"""The data recipe of data-efficiency, on drawings small enough to recognise each by its first two pixels."""

import gzip
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program

Array = npt.NDArray[Any]

CLASSES, DRAWINGS = 22, 20
SETTINGS = {"way": 5, "shot": 1, "queries": 4, "rounds": 3, "train_per_class": 12}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    program = find_task("data-efficiency").recipe / "recipe.py"
    module = load_program(program)
    monkeypatch.setattr(module, "SPLITS", {"train": 2, "validation": 10, "test": 10})
    return module


def a_drawing(kind: int, number: int) -> list[float]:
    """Class and number in the first two pixels, and enough ink to count as a drawing."""
    return [(kind + 1) / 255, (number + 1) / 255, *[1.0] * 20, *[0.0] * 762]


def write_classes(root: Path, drawings: dict[str, list[list[float]]]) -> None:
    raw = root / "raw" / "quickdraw"
    raw.mkdir(parents=True)
    for name, rows in drawings.items():
        with gzip.open(raw / f"{name}.ndjson.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


def plain_classes() -> dict[str, list[list[float]]]:
    return {f"class {kind:02}": [a_drawing(kind, number) for number in range(DRAWINGS)] for kind in range(CLASSES)}


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_classes(tmp_path, plain_classes())
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def kinds(images: Array) -> Array:
    return images[..., 0, 0].astype(int)


def identities(images: Array) -> Array:
    return kinds(images) * 1000 + images[..., 0, 1]


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_no_drawing_occurs_twice_in_an_exam(recipe: ModuleType, root: Path, exam: str):
    drawn = draw(recipe, root)
    support, query = (identities(drawn[f"{exam}/questions/{part}_images"]).ravel() for part in ("support", "query"))
    everything = np.concatenate([support, query])
    assert len(set(everything)) == len(everything) == 3 * 2 * 5 * (1 + 4)


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_labels_name_the_class_that_support_and_queries_share(recipe: ModuleType, root: Path, exam: str):
    drawn = draw(recipe, root)
    for support, support_labels, query, query_labels in zip(
        kinds(drawn[f"{exam}/questions/support_images"]),
        drawn[f"{exam}/questions/support_labels"],
        kinds(drawn[f"{exam}/questions/query_images"]),
        drawn[f"{exam}/labels/query_labels"],
        strict=True,
    ):
        kind_of = dict(zip(support_labels, support, strict=True))
        assert sorted(kind_of) == list(range(5))
        assert [kind_of[label] for label in query_labels] == query.tolist()
        assert np.bincount(query_labels).tolist() == [4] * 5


def test_training_validation_and_test_share_no_class(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    train = set(kinds(drawn["train/images"]))
    validation, test = (set(kinds(drawn[f"{exam}/questions/query_images"]).ravel()) for exam in ("validation", "test"))
    assert (len(train), len(validation), len(test)) == (2, 10, 10)
    assert len(train | validation | test) == CLASSES


def test_every_class_is_asked_equally_often(recipe: ModuleType, root: Path):
    support = kinds(draw(recipe, root)["validation/questions/support_images"])
    assert set(np.unique(support, return_counts=True)[1]) == {SETTINGS["rounds"]}


def test_every_class_shows_the_same_number_of_training_drawings(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert np.bincount(drawn["train/labels"]).tolist() == [12, 12]
    assert len(set(identities(drawn["train/images"]))) == 24


def test_the_place_of_a_drawing_in_its_episode_tells_nothing(recipe: ModuleType, root: Path):
    labels: list[Array] = []
    support: list[Array] = []
    for seed in range(40):
        drawn = draw(recipe, root, seed)
        labels.append(drawn["test/labels/query_labels"])
        support.append(drawn["test/questions/support_labels"])
    for places in (np.concatenate(labels), np.concatenate(support)):
        shares = np.stack([(places == label).mean(axis=0) for label in range(5)])
        # 240 episodes: a share of 0.2 has a standard error of 0.026.
        assert np.abs(shares - 0.2).max() < 0.12


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_blank_drawings_and_drawings_that_occur_twice_are_left_out(recipe: ModuleType, tmp_path: Path):
    classes = plain_classes()
    classes["class 00"][3] = [0.0] * 784
    classes["class 01"][4] = classes["class 01"][5]
    classes["class 02"][6] = classes["class 07"][8]
    write_classes(tmp_path, classes)
    recipe.prepare(tmp_path)
    kept: list[int] = []
    for pool in (tmp_path / "pools").rglob("images.npy"):
        kept += identities(np.load(pool)).tolist()
    gone = {1 * 1000 + 4, 2 * 1000 + 6, 2 * 1000 + 5, 3 * 1000 + 7, 8 * 1000 + 9}
    everything = {(kind + 1) * 1000 + number + 1 for kind in range(CLASSES) for number in range(DRAWINGS)}
    assert len(kept) == len(set(kept))
    assert set(kept) == everything - gone


def test_a_missing_class_is_noticed(recipe: ModuleType, tmp_path: Path):
    classes = plain_classes()
    del classes["class 09"]
    write_classes(tmp_path, classes)
    with pytest.raises(SystemExit, match="expected 22 classes"):
        recipe.prepare(tmp_path)
