"""The data recipe of continual-learning, on images small in number whose first three pixels say which they are."""

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

IN_TRAINING_FILE, IN_TEST_FILE, HELD_OUT = 12, 6, 5
SETTINGS = {"train_per_class": 4, "exam_per_class": 3}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
CONTEXTS = [f"context-{number}" for number in range(1, 6)]
EXAMS = ["validation", "test"]


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    program = find_task("continual-learning").recipe / "recipe.py"
    module = load_program(program)
    monkeypatch.setattr(module, "HELD_OUT", HELD_OUT)
    return module


def write_files(folder: Path, name: str, source: int, per_digit: int) -> None:
    """Digit, number and file in the first three pixels of every image, after headers as MNIST has them."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = np.repeat(np.arange(10, dtype=np.uint8), per_digit)
    images = np.zeros((len(labels), 28, 28), dtype=np.uint8)
    images[:, 0, 0], images[:, 0, 1], images[:, 0, 2] = labels, np.tile(np.arange(per_digit), 10), source
    (folder / f"{name}-images-idx3-ubyte").write_bytes(bytes(16) + images.tobytes())
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(bytes(8) + labels.tobytes())


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_files(tmp_path / "raw" / "mnist", "train", 1, IN_TRAINING_FILE)
    write_files(tmp_path / "raw" / "mnist", "t10k", 2, IN_TEST_FILE)
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def digits(images: Array) -> Array:
    return images[:, 0, 0]


def identities(images: Array) -> list[tuple[int, ...]]:
    return [tuple(image[0, :3].tolist()) for image in images]


def test_every_context_has_its_own_two_classes_and_equally_many_images_of_both(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for number, context in enumerate(CONTEXTS):
        names, counts = np.unique(drawn[f"{context}/labels"], return_counts=True)
        assert names.tolist() == [2 * number, 2 * number + 1]
        assert counts.tolist() == [4, 4]


def test_a_class_is_the_same_digit_in_its_context_and_in_both_exams(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    digit_of: dict[int, int] = {}
    for context in CONTEXTS:
        for name, digit in zip(drawn[f"{context}/labels"], digits(drawn[f"{context}/images"]), strict=True):
            assert digit_of.setdefault(int(name), int(digit)) == digit
    assert sorted(digit_of.values()) == list(range(10))
    for exam in EXAMS:
        asked, names = digits(drawn[f"{exam}/questions/images"]), drawn[f"{exam}/labels/labels"]
        assert asked.tolist() == [digit_of[int(name)] for name in names]


def test_exams_ask_about_every_class_equally_often(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam in EXAMS:
        assert np.bincount(drawn[f"{exam}/labels/labels"]).tolist() == [3] * 10


def test_training_validation_and_test_share_no_image(recipe: ModuleType, root: Path):
    pools = [identities(np.load(root / "pools" / split / "images.npy")) for split in ("train", *EXAMS)]
    assert [len(pool) for pool in pools] == [10 * (IN_TRAINING_FILE - HELD_OUT), 10 * HELD_OUT, 10 * IN_TEST_FILE]
    assert len({identity for pool in pools for identity in pool}) == sum(len(pool) for pool in pools)
    drawn = draw(recipe, root)
    parts = [f"{context}/images" for context in CONTEXTS] + [f"{exam}/questions/images" for exam in EXAMS]
    everything = [identity for part in parts for identity in identities(drawn[part])]
    assert len(set(everything)) == len(everything)


def test_questions_are_images_and_nothing_else(recipe: ModuleType, root: Path):
    for exam in EXAMS:
        draw(recipe, root)
        assert [path.name for path in (root / "out" / exam / "questions").iterdir()] == ["images.npy"]


def test_which_digit_a_label_stands_for_and_where_a_class_is_asked_tell_nothing(recipe: ModuleType, root: Path):
    first_digits: list[int] = []
    places: list[Array] = []
    for seed in range(60):
        drawn = draw(recipe, root, seed)
        first_digits.append(int(digits(drawn["context-1/images"])[0]))
        places.append(drawn["test/labels/labels"])
    assert len(set(first_digits)) == 10
    # 60 exams: the mean label at a place is 4.5 with a standard error of 0.37.
    assert np.abs(np.mean(places, axis=0) - 4.5).max() < 1.8


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_files_that_do_not_belong_together_are_noticed(recipe: ModuleType, tmp_path: Path):
    raw = tmp_path / "raw" / "mnist"
    write_files(raw, "train", 1, IN_TRAINING_FILE)
    (raw / "train-labels-idx1-ubyte").write_bytes(bytes(8) + bytes(range(10)))
    with pytest.raises(SystemExit, match="120 images, 10 labels"):
        recipe.prepare(tmp_path)
