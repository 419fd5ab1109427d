"""The data recipe of data-efficiency: worlds, poses, the sensor, episodes and starved samples."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.programs import loaded_recipe

Array = npt.NDArray[Any]

WORLDS = {
    "scored": {"train": 10, "validation": 5, "test": 5},
    "lab": {"train": 6, "validation": 6, "test": 6},
    "sibling": {"train": 5, "validation": 5, "test": 10},
}
CLASSES, DRAWINGS = 58, 16
SETTINGS = {"way": 5, "shot": 1, "queries": 4, "rounds": 3, "train_per_class": 12, "size": 6}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("data-efficiency") as module:
        vars(module)["WORLDS"] = WORLDS
        yield module


@pytest.fixture(scope="module")
def root(recipe: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classes of random dots, each drawing with some dots of its own."""
    root = tmp_path_factory.mktemp("data-efficiency")
    raw = root / "raw" / "quickdraw"
    raw.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for kind in range(CLASSES):
        of_class = rng.random(784) < 0.1
        with gzip.open(raw / f"class {kind:02}.ndjson.gz", "wt", encoding="utf-8") as file:
            for _ in range(DRAWINGS):
                file.write(json.dumps((of_class ^ (rng.random(784) < 0.03)).astype(int).tolist()) + "\n")
    recipe.prepare(root)
    return root


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **facts: Any) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS, **facts}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def names_of(root: Path, world: str) -> set[str]:
    return set(json.loads((root / "pools" / world / "classes.json").read_text()))


def test_worlds_share_no_class_and_use_all(root: Path):
    worlds = [names_of(root, world) for world in WORLDS]
    assert [len(names) for names in worlds] == [20, 18, 20]
    assert len(set().union(*worlds)) == CLASSES


def test_training_and_exams_share_no_class(recipe: ModuleType):
    dealt = recipe.deal_parts(np.arange(20), WORLDS["scored"], np.random.default_rng(SEED))
    assert {part: len(labels) for part, labels in dealt.items()} == WORLDS["scored"]
    assert sorted(np.concatenate(list(dealt.values()))) == list(range(20))


def test_every_part_gets_classes_of_all_levels(recipe: ModuleType):
    # Five groups of four neighbours: two of each group train, one validates, one tests.
    dealt = recipe.deal_parts(np.arange(20), WORLDS["scored"], np.random.default_rng(SEED))
    assert np.bincount(dealt["train"] // 4).tolist() == [2] * 5
    assert np.bincount(dealt["test"] // 4).tolist() == [1] * 5


def test_two_seeds_deal_classes_differently(recipe: ModuleType):
    first, other = (recipe.deal_parts(np.arange(20), WORLDS["scored"], np.random.default_rng(s)) for s in (1, 2))
    assert set(first["test"]) != set(other["test"])
    assert first["train"].tolist() != other["train"].tolist()


def test_a_class_has_one_pose_and_classes_differ_in_theirs(recipe: ModuleType):
    image = np.zeros((28, 28), np.uint8)
    image[4:9, 6:22] = 255
    posed = recipe.pose(np.stack([image] * 4), np.array([0, 0, 1, 1]), np.random.default_rng(3))
    assert np.array_equal(posed[0], posed[1])
    assert np.array_equal(posed[2], posed[3])
    assert not np.array_equal(posed[0], posed[2])


def test_no_public_drawing_is_shown_as_it_is(recipe: ModuleType, root: Path):
    images, labels = (np.load(root / "pools" / "scored" / f"{name}.npy") for name in ("images", "labels"))
    rng = np.random.default_rng(SEED)
    shown = recipe.rerender(recipe.pose(images, labels, rng), rng, **recipe.JITTER)
    public = {image.tobytes() for image in images}
    assert not any(np.rint(picture * 255).astype(np.uint8).tobytes() in public for picture in shown)


def test_readings_are_white_and_no_linear_map_of_the_pictures(recipe: ModuleType):
    pictures = np.random.default_rng(0).random((2000, 4, 4))
    readings = recipe.read_through_sensor(pictures, 6, np.random.default_rng(SEED))
    assert np.allclose(np.cov(readings, rowvar=False), np.eye(6), atol=0.01)
    flat = pictures.reshape(2000, -1) - pictures.reshape(2000, -1).mean(axis=0)
    fitted = flat @ np.linalg.lstsq(flat, readings, rcond=None)[0]
    assert np.var(readings - fitted) > 0.05


def test_two_seeds_read_the_same_pictures_differently(recipe: ModuleType):
    pictures = np.random.default_rng(0).random((500, 4, 4))
    first, other = (recipe.read_through_sensor(pictures, 6, np.random.default_rng(seed)) for seed in (1, 2))
    assert not np.allclose(first, other, atol=0.5)


@pytest.fixture
def episodes(recipe: ModuleType) -> tuple[Array, ...]:
    """Episodes of 20 classes whose drawings are numbered 100 * class + number."""
    rows = 100 * np.arange(20)[:, None] + np.arange(15)
    return recipe.draw_episodes(rows, SETTINGS, np.random.default_rng(SEED))


def test_no_drawing_occurs_twice_and_every_class_equally_often(episodes: tuple[Array, ...]):
    support, _, query, _ = episodes
    everything = np.concatenate([support.ravel(), query.ravel()])
    assert len(set(everything)) == len(everything) == 3 * 4 * 5 * (1 + 4)
    assert np.bincount(support.ravel() // 100).tolist() == [3] * 20


def test_labels_name_the_class_that_support_and_queries_share(episodes: tuple[Array, ...]):
    for support, support_labels, query, query_labels in zip(*episodes, strict=True):
        class_of = dict(zip(support_labels, support // 100, strict=True))
        assert sorted(class_of) == list(range(5))
        assert [class_of[label] for label in query_labels] == (query // 100).tolist()
        assert np.bincount(query_labels).tolist() == [4] * 5


def test_positions_in_an_episode_say_nothing(recipe: ModuleType):
    rows = 100 * np.arange(50)[:, None] + np.arange(15)
    drawn = [recipe.draw_episodes(rows, SETTINGS, np.random.default_rng(seed)) for seed in range(10)]
    for part in (1, 3):
        labels = np.concatenate([episodes[part] for episodes in drawn])
        shares = np.stack([(labels == label).mean(axis=0) for label in range(5)])
        # 300 episodes: a share of 0.2 has a standard error of 0.023.
        assert np.abs(shares - 0.2).max() < 0.11


def test_a_sample_has_the_shapes_of_its_world(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root, world="sibling")
    assert drawn["train/vectors"].shape == (5 * 12, 6)
    assert np.bincount(drawn["train/labels"]).tolist() == [12] * 5
    assert drawn["test/questions/support_vectors"].shape == (3 * 2, 5, 6)
    assert drawn["test/questions/query_vectors"].shape == (3 * 2, 20, 6)
    assert drawn["test/labels/query_labels"].shape == (3 * 2, 20)
    assert drawn["train/vectors"].dtype == np.float32


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_a_starved_sample_keeps_two_of_each_class_and_the_same_exams(recipe: ModuleType, root: Path):
    whole, starved = draw(recipe, root), draw(recipe, root, train_share=0.02)
    assert np.bincount(starved["train/labels"]).tolist() == [2] * 10
    kept = {vector.tobytes() for vector in whole["train/vectors"]}
    assert all(vector.tobytes() in kept for vector in starved["train/vectors"])
    exams = [name for name in whole if not name.startswith("train")]
    assert all(np.array_equal(whole[name], starved[name]) for name in exams)
    assert recipe.kept_per_class(80, 0.25) == 20


def test_a_missing_class_is_refused(recipe: ModuleType, tmp_path: Path):
    raw = tmp_path / "raw" / "quickdraw"
    raw.mkdir(parents=True)
    with gzip.open(raw / "one.ndjson.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps([1] * 784) + "\n")
    with pytest.raises(SystemExit, match="Expected 58 classes"):
        recipe.prepare(tmp_path)
