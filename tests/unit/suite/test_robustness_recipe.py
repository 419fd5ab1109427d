"""The data recipe of robustness, on few pictures of noise."""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.programs import loaded_recipe
from tests.unit.suite.digits import write_digits

Array = npt.NDArray[Any]

SETTINGS = {
    "plain": 6,
    "backdoors": 12,
    "benign_marks": 2,
    "each": 20,
    "readings": 16,
    "exam_clean": 400,
    "exam_triggered": 20,
}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
PER_CLASS = 10
DRAWN = 12
"""Classes of drawings, of which a sample of the lab has ten."""


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("robustness") as module:
        yield module


def noise(number: int) -> Array:
    return np.random.default_rng(number).integers(0, 256, (28, 28))


def write_raw(root: Path) -> None:
    """Every picture is noise of its own."""
    for name in ("mnist", "fashion-mnist", "quickdraw"):
        (root / "raw" / name).mkdir(parents=True)
    for file, first in {"train": 0, "t10k": 50}.items():
        numbers = np.arange(first, first + 10 * PER_CLASS - 50)
        write_digits(root / "raw" / "mnist", file, np.stack([noise(int(n)) for n in numbers]), numbers % 10)
    for label in range(10):
        rows = [noise(1_000 + label * PER_CLASS + n).ravel().tolist() for n in range(PER_CLASS)]
        (root / "raw" / "fashion-mnist" / f"{label}.json").write_text(json.dumps({"data": rows}))
    for label in range(DRAWN):
        rows = [(noise(5_000 + label * PER_CLASS + n) / 255).ravel().tolist() for n in range(PER_CLASS)]
        with gzip.open(root / "raw" / "quickdraw" / f"thing {label}.ndjson.gz", "wt") as file:
            file.write("\n".join(json.dumps(row) for row in rows))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, recipe: ModuleType) -> Path:
    folder = tmp_path_factory.mktemp("robustness")
    write_raw(folder)
    recipe.prepare(folder)
    return folder


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **facts: Any) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS, **facts}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_worlds_share_no_picture_and_no_class(root: Path):
    pools = {world: np.load(root / "pools" / world / "images.npy") for world in ("scored", "lab", "sibling")}
    known = [{image.tobytes() for image in images} for images in pools.values()]
    assert [len(images) for images in known] == [100, 120, 100]
    assert len({image for images in known for image in images}) == 320
    scored, sibling = (set(np.load(root / "pools" / world / "classes.npy")) for world in ("scored", "sibling"))
    assert scored | sibling == {*range(10), *range(1000, 1010)}
    assert not scored & sibling


def test_every_class_has_pictures_for_training_and_both_exams(root: Path):
    classes, parts = (np.load(root / "pools" / "scored" / f"{name}.npy") for name in ("classes", "parts"))
    for one in np.unique(classes):
        assert np.bincount(parts[classes == one]).tolist() == [6, 2, 2]


def test_questions_hold_vectors_and_training_vectors_and_labels(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert {name for name in drawn if "questions" in name} == {"validation/questions/vectors", "test/questions/vectors"}
    assert {name for name in drawn if name.startswith("train/")} == {"train/vectors", "train/labels", "train/sources"}
    assert drawn["test/questions/vectors"].shape == (400 + 12 * 20, 16)
    assert drawn["train/vectors"].dtype == np.float32
    assert set(drawn["train/labels"]) == set(range(10))
    assert np.bincount(drawn["train/sources"]).tolist() == [20] * 20


def test_every_trigger_is_asked_about_equally_often(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam in ("validation", "test"):
        labels, triggers, targets = (drawn[f"{exam}/labels/{name}"] for name in ("labels", "triggers", "targets"))
        assert np.bincount(triggers + 1).tolist() == [400] + [20] * 12
        assert targets.shape == (12, 10)
        assert labels.max() == 9


def test_the_sensor_shows_white_noise(recipe: ModuleType, root: Path):
    vectors = draw(recipe, root)["train/vectors"]
    assert np.allclose(np.cov(vectors, rowvar=False), np.eye(16), atol=1e-3)


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_seeds_differ_in_ways_and_numbers_of_classes(recipe: ModuleType, root: Path):
    folder = root / "pools" / "scored"
    rows = [recipe.draw_source(folder, np.random.default_rng(seed)).take("test", np.arange(10)) for seed in (1, 2)]
    assert rows[0].shape == rows[1].shape == (10, 28, 28)
    assert not np.allclose(rows[0], rows[1])


def test_a_picture_lies_in_eight_ways(recipe: ModuleType):
    pictures = np.random.default_rng(0).random((1, 28, 28))
    assert len({recipe.turn(pictures, way).tobytes() for way in range(recipe.WAYS)}) == recipe.WAYS == 8


def test_lab_and_sibling_have_samples_of_their_own(recipe: ModuleType, root: Path):
    drawn = [draw(recipe, root, world=world) for world in ("lab", "sibling")]
    assert [set(one["train/labels"]) for one in drawn] == [set(range(10))] * 2
    assert not np.array_equal(drawn[0]["test/questions/vectors"], drawn[1]["test/questions/vectors"])


def test_the_yardstick_classifies_by_what_it_gets(recipe: ModuleType):
    truth = np.repeat([0, 1, 2], 40)
    points = 10.0 * np.eye(3)[truth] + np.random.default_rng(0).standard_normal((120, 3))
    assert sys.modules["yardstick"].label_by_yardstick(points, truth, points).tolist() == truth.tolist()


def test_the_yardstick_of_an_exam_does_not_depend_on_the_share_of_training_data(recipe: ModuleType, root: Path):
    full, starved = draw(recipe, root), draw(recipe, root, train_share=0.02)
    assert np.array_equal(full["test/labels/yardstick"], starved["test/labels/yardstick"])
    assert full["test/labels/yardstick"].shape == full["test/labels/labels"].shape


def test_a_starved_sample_keeps_two_percent_and_two_of_each_label(recipe: ModuleType, root: Path):
    full, starved = draw(recipe, root), draw(recipe, root, train_share=0.02)
    assert np.bincount(starved["train/labels"]).min() >= 2
    assert len(starved["train/labels"]) <= 0.02 * len(full["train/labels"]) + 2 * 10
    assert np.array_equal(full["test/questions/vectors"], starved["test/questions/vectors"])
    for row in starved["train/vectors"]:
        assert np.abs(full["train/vectors"] - row).max(axis=1).min() < 1e-4


def test_attackers_swap_all_labels_and_the_others_keep_most(recipe: ModuleType):
    rng = np.random.default_rng(3)
    backdoors = recipe.draw_backdoors("scored", 10, SETTINGS, rng)
    benign = recipe.draw_benign("scored", 10, SETTINGS, rng)
    plan = recipe.plan_training(backdoors, benign, 10, SETTINGS, rng)
    for number, backdoor in enumerate(backdoors):
        rows = plan["triggers"] == number
        assert len(set(plan["sources"][rows])) == 1
        assert rows.sum() == 20
        assert (plan["answers"][rows] == backdoor.targets[plan["labels"][rows]]).all()
        assert (plan["answers"][rows] != plan["labels"][rows]).all()
    rest = (plan["triggers"] < 0) | (plan["triggers"] >= len(backdoors))
    assert 0.85 < (plan["answers"][rest] == plan["labels"][rest]).mean() < 1


def test_worlds_share_no_kind_of_trigger_and_every_trigger_changes_pictures(recipe: ModuleType):
    makers = sys.modules["triggers"].MAKERS
    assert len({maker for world in makers.values() for maker in world}) == sum(map(len, makers.values()))
    pictures = np.random.default_rng(0).random((3, 28, 28))
    for maker in (maker for world in makers.values() for maker in world):
        trigger = maker(np.random.default_rng(2))
        changed = trigger(pictures, np.ones(3))
        assert changed.shape == (3, 28, 28), maker
        assert np.array_equal(changed, trigger(pictures, np.ones(3))), maker
        assert np.abs(changed - pictures).max() > 0.05, maker
