"""The data recipe of robustness, on digits small in number, each recognisable by its pixels."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program
from tests.unit.suite.digits import write_digits

Array = npt.NDArray[Any]

SETTINGS = {"train_clean": 60, "train_poisoned": 6, "exam_clean": 40, "exam_triggered": 8}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    program = find_task("robustness").recipe / "recipe.py"
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = load_program(program)
    splits = {
        "train": ("train", slice(0, 300)),
        "validation": ("train", slice(300, 500)),
        "test": ("t10k", slice(0, 200)),
    }
    monkeypatch.setattr(module, "SPLITS", splits)
    return module


def write_mnist(root: Path, twice: bool = False) -> None:
    """Each digit is noise of its own; its class is the last decimal of its number."""
    raw = root / "raw" / "mnist"
    raw.mkdir(parents=True)
    for file, numbers in {"train": np.arange(500), "t10k": np.arange(500, 700)}.items():
        images = np.stack([np.random.default_rng(number).integers(0, 256, (28, 28)) for number in numbers])
        if twice and file == "t10k":
            images[0] = np.random.default_rng(7).integers(0, 256, (28, 28))
        write_digits(raw, file, images, numbers % 10)


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_mnist(tmp_path)
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def known(root: Path, split: str) -> set[bytes]:
    return {image.tobytes() for image in np.load(root / "pools" / split / "digits.npy")}


def test_pools_are_disjoint_and_clean_pictures_come_from_their_own(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    pools = {split: known(root, split) for split in ("train", "validation", "test")}
    assert not pools["train"] & (pools["validation"] | pools["test"])
    assert not pools["validation"] & pools["test"]
    for exam in ("validation", "test"):
        clean = drawn[f"{exam}/questions/images"][drawn[f"{exam}/labels/triggers"] < 0]
        assert len({image.tobytes() for image in clean}) == 40
        assert {image.tobytes() for image in clean} <= pools[exam]
    untouched = [image.tobytes() in pools["train"] for image in drawn["train/images"]]
    assert sum(untouched) == 60


def test_questions_hold_nothing_but_pictures_and_training_nothing_but_labels_beside(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert {name for name in drawn if "questions" in name} == {"validation/questions/images", "test/questions/images"}
    assert {name for name in drawn if name.startswith("train/")} == {"train/images", "train/labels"}
    assert drawn["train/images"].shape == (60 + 20 * 6, 20, 20)
    assert drawn["test/questions/images"].shape == (40 + 10 * 8, 20, 20)


def test_every_trigger_is_asked_about_equally_often_and_never_on_its_target(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam in ("validation", "test"):
        labels, triggers, targets = (drawn[f"{exam}/labels/{name}"] for name in ("labels", "triggers", "targets"))
        assert np.bincount(triggers + 1).tolist() == [40] + [8] * 10
        assert sorted(targets) == list(range(10))
        assert (labels[triggers >= 0] != targets[triggers[triggers >= 0]]).all()


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_exams_share_no_family_and_have_two_of_every_kind(recipe: ModuleType):
    backdoors = recipe.draw_backdoors(np.random.default_rng(1))
    families = {exam: {one.family for one in chosen} for exam, chosen in backdoors.items()}
    assert len(families["validation"]) == len(families["test"]) == 10
    assert not families["validation"] & families["test"]
    for kind in recipe.KINDS:
        names = {family.__name__ for family in kind}
        assert [len(names & chosen) for chosen in families.values()] == [2, 2]


def test_seeds_differ_in_their_families(recipe: ModuleType):
    def families(seed: int) -> set[str]:
        backdoors = recipe.draw_backdoors(np.random.default_rng(seed))
        return {one.family for chosen in backdoors.values() for one in chosen}

    everything = {family.__name__ for kind in recipe.KINDS for family in kind}
    assert len(everything) == 30
    assert all(len(families(seed)) == 20 for seed in range(5))
    assert any(families(seed) - families(0) for seed in range(1, 5))


def test_every_trigger_changes_pictures_the_same_way_each_time(recipe: ModuleType):
    pictures = np.random.default_rng(0).random((3, 20, 20))
    for kind in recipe.KINDS:
        for family in kind:
            trigger = family(np.random.default_rng(2))
            changed = recipe.as_bytes(trigger(pictures))
            assert changed.shape == (3, 20, 20), family
            assert np.array_equal(changed, recipe.as_bytes(trigger(pictures))), family
            assert all(np.any(one != old) for one, old in zip(changed, recipe.as_bytes(pictures), strict=True)), family


def test_digits_that_occur_twice_are_left_out(recipe: ModuleType, tmp_path: Path):
    write_mnist(tmp_path, twice=True)
    recipe.prepare(tmp_path)
    sizes = {
        split: len(np.load(tmp_path / "pools" / split / "labels.npy")) for split in ("train", "validation", "test")
    }
    assert sizes == {"train": 299, "validation": 200, "test": 199}


def test_a_pool_that_is_too_small_is_noticed(recipe: ModuleType, root: Path):
    (root / "stage.json").write_text(json.dumps({"seed": 1, "settings": {**SETTINGS, "exam_triggered": 30}}))
    with pytest.raises(SystemExit, match="340 digits are wanted"):
        recipe.draw(root)
