"""The data recipe of representation-learning, on small files in the formats of its data sets."""

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.programs import loaded_recipe

Array = npt.NDArray[Any]

SETTINGS = {"classes": 12, "size": 16, "pairs": 240, "probe": 48, "exam": 60}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
DRAWN = 9
"""Classes of drawings: three for each world."""
EACH = 20
"""Pictures of each class."""
PARTS = ("train/first", "train/second", "validation/questions/vectors", "test/questions/vectors")


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("representation-learning") as module:
        vars(module)["SENSOR_VIEWS"] = 240
        yield module


def picture(rng: np.random.Generator) -> Array:
    """A bright box on a dark ground."""
    image = np.zeros((28, 28), np.uint8)
    top, left = rng.integers(4, 12, 2)
    image[top : top + rng.integers(6, 14), left : left + rng.integers(6, 14)] = rng.integers(100, 255)
    image[2, 2:26] = rng.integers(0, 255, 24)
    return image


def write_raw(root: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("quickdraw", "fashion-mnist", "mnist"):
        (root / "raw" / name).mkdir(parents=True)
    for number in range(DRAWN):
        rows = [json.dumps((picture(rng).ravel() / 255).tolist()) for _ in range(EACH)]
        with gzip.open(root / "raw" / "quickdraw" / f"class {number}.ndjson.gz", "wt") as file:
            file.write("\n".join(rows))
    for label in range(10):
        rows = [picture(rng).ravel().tolist() for _ in range(EACH)]
        (root / "raw" / "fashion-mnist" / f"{label}.json").write_text(json.dumps({"data": rows}))
    for part in ("train", "t10k"):
        digits = np.stack([picture(rng) for _ in range(10 * EACH)])
        labels = np.arange(10 * EACH) % 10
        write_idx(root / "raw" / "mnist" / f"{part}-images-idx3-ubyte", digits)
        write_idx(root / "raw" / "mnist" / f"{part}-labels-idx1-ubyte", labels.astype(np.uint8))


def write_idx(file: Path, array: Array) -> None:
    shape = np.array(array.shape, ">u4").tobytes()
    file.write_bytes(bytes([0, 0, 8, array.ndim]) + shape + array.astype(np.uint8).tobytes())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, recipe: ModuleType) -> Path:
    root = tmp_path_factory.mktemp("root")
    write_raw(root)
    recipe.prepare(root)
    return root


def draw(recipe: ModuleType, root: Path, **facts: Any) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": SEED, "settings": SETTINGS} | facts))
    shutil.rmtree(root / "out", ignore_errors=True)
    recipe.draw(root)
    files = sorted((root / "out").rglob("*.npy"))
    return {file.relative_to(root / "out").with_suffix("").as_posix(): np.load(file) for file in files}


def contents(images: Array) -> set[bytes]:
    return {image.tobytes() for image in images}


def test_worlds_share_no_picture(recipe: ModuleType, root: Path):
    pools = [contents(np.load(root / "pools" / world / "images.npy")) for world in recipe.WORLDS]
    assert [len(pool) for pool in pools] == [13 * EACH, 3 * EACH, 10 * 2 * EACH + 3 * EACH]
    every = [picture for pool in pools for picture in pool]
    assert len(set(every)) == len(every)


def test_a_sample_has_vectors_and_balanced_labels(recipe: ModuleType, root: Path):
    sample = draw(recipe, root)
    assert [sample[part].shape for part in PARTS] == [(240, 16), (240, 16), (108, 16), (108, 16)]
    assert all(sample[part].dtype == np.float32 for part in PARTS)
    for exam in ("validation", "test"):
        labels, is_probe = sample[f"{exam}/labels/labels"], sample[f"{exam}/labels/is_probe"]
        assert np.bincount(labels[is_probe]).tolist() == [4] * 12
        assert np.bincount(labels[~is_probe]).tolist() == [5] * 12


def test_the_lab_has_drawings_alone(recipe: ModuleType, root: Path):
    sample = draw(recipe, root, world="lab", settings=SETTINGS | {"classes": 3})
    assert np.unique(sample["test/labels/labels"]).tolist() == [0, 1, 2]


def test_a_picture_serves_one_purpose(recipe: ModuleType):
    rng = np.random.default_rng(1)
    classes = [np.stack([picture(rng) for _ in range(EACH)]) for _ in range(4)]
    parts = recipe.divide(classes, rng)
    train, validation, test = ([contents(images) for images in parts[name]] for name in ("train", "validation", "test"))
    for number in range(4):
        assert [len(part[number]) for part in (train, validation, test)] == [8, 6, 6]
        assert len(train[number] | validation[number] | test[number]) == EACH


def test_vectors_are_white(recipe: ModuleType, root: Path):
    sample = draw(recipe, root, settings=SETTINGS | {"pairs": 1800, "size": 8})
    vectors = np.concatenate([sample["train/first"], sample["train/second"]])
    assert np.abs(np.cov(vectors, rowvar=False) - np.eye(8)).max() < 0.3


def test_views_of_a_pair_agree_more_than_views_of_different_pictures(recipe: ModuleType, root: Path):
    sample = draw(recipe, root, settings=SETTINGS | {"pairs": 1200})
    squares = [np.square(sample[part]).sum(axis=1) for part in ("train/first", "train/second")]
    # A negative is the same to a square, so what is common to a pair shows in the length of its vectors.
    assert np.corrcoef(*squares)[0, 1] > 0.15
    assert abs(np.corrcoef(squares[0], np.roll(squares[1], 1))[0, 1]) < 0.1


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = draw(recipe, root), draw(recipe, root), draw(recipe, root, seed=7)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not any(np.array_equal(first[name], other[name]) for name in PARTS)


def test_a_starved_sample_keeps_two_percent_of_the_pairs_and_the_same_exams(recipe: ModuleType, root: Path):
    settings = SETTINGS | {"pairs": 12 * 100}
    full = draw(recipe, root, settings=settings)
    starved = draw(recipe, root, settings=settings, train_share=0.02)
    assert (len(full["train/first"]), len(starved["train/first"])) == (1200, 24)
    assert all(np.array_equal(full[name], starved[name]) for name in full if not name.startswith("train/"))


def test_crosstalk_loses_nothing(recipe: ModuleType):
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((500, 6))
    crosstalk = recipe.make_crosstalk(vectors, rng)
    inverse = np.linalg.inv(np.asarray(crosstalk.whitening, dtype=np.float64))
    disturbed = np.asarray(crosstalk.disturb(vectors), dtype=np.float64) @ inverse + np.asarray(crosstalk.mean)
    for rotation, frequencies, phases, directions in reversed(crosstalk.rounds):
        changed, kept = disturbed[:, :3], disturbed[:, 3:]
        waves = np.sqrt(2) * np.sin(kept @ frequencies + phases) @ directions
        unchanged = np.concatenate([kept, np.asarray(changed - 0.5 * waves, dtype=np.float64)], axis=1)
        disturbed = np.asarray(unchanged @ rotation.T, dtype=np.float64)
    assert np.allclose(disturbed, vectors, atol=1e-4)
