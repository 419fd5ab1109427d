"""The data recipe of representation-learning, on files in CIFAR-10's format with images that can be told apart."""

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

PER_FILE = 40
SETTINGS = {"side": 16, "train": 100, "probe": 10, "exam": 20}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
FILES = [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    program = find_task("representation-learning").recipe / "recipe.py"
    return load_program(program)


def numbered(number: int) -> Array:
    """An image of one colour, which says its number; the label is the number's last digit."""
    image = np.zeros((3, 32, 32), np.uint8)
    image[0], image[1] = divmod(number, 256)
    return image


def write_raw(root: Path, numbers: list[list[int]]) -> None:
    raw = root / "raw" / "cifar-10"
    raw.mkdir(parents=True)
    for name, of_file in zip(FILES, numbers, strict=True):
        rows = [np.concatenate([[number % 10], numbered(number).ravel()]) for number in of_file]
        (raw / name).write_bytes(np.array(rows, np.uint8).tobytes())


def plain_numbers() -> list[list[int]]:
    return np.arange(len(FILES) * PER_FILE).reshape(len(FILES), -1).tolist()


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_raw(tmp_path, plain_numbers())
    prepare(recipe, tmp_path)
    return tmp_path


def prepare(recipe: ModuleType, root: Path, side: int = 16) -> None:
    (root / "stage.json").write_text(json.dumps({"seed": 0, "settings": SETTINGS | {"side": side}}))
    recipe.prepare(root)


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {str(file.relative_to(out).with_suffix("")): np.load(file) for file in sorted(out.rglob("*.npy"))}


def numbers_of(images: Array) -> list[int]:
    return [int(image[0, 0, 0]) * 256 + int(image[1, 0, 0]) for image in images]


def test_a_pixel_is_the_mean_of_four(recipe: ModuleType):
    images = np.zeros((1, 3, 32, 32), np.uint8)
    images[0, 2, 4:6, 30:32] = [[1, 2], [3, 255]]
    small = recipe.shrink(images, 16)
    assert small.shape == (1, 3, 16, 16)
    assert small[0, 2, 2, 15] == 65  # 261 / 4
    assert small.sum() == 65


def test_images_keep_their_size_where_it_is_asked(recipe: ModuleType, tmp_path: Path):
    write_raw(tmp_path, plain_numbers())
    prepare(recipe, tmp_path, side=32)
    images = np.load(tmp_path / "pools" / "test" / "images.npy")
    assert images.shape == (PER_FILE, 3, 32, 32)
    assert np.array_equal(images[0], numbered(5 * PER_FILE))


def test_training_images_come_without_labels(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert [name for name in drawn if name.startswith("train")] == ["train/images"]
    assert drawn["train/images"].shape == (100, 3, 16, 16)


def test_questions_are_images_and_nothing_else(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam in ("validation", "test"):
        assert [name for name in drawn if name.startswith(f"{exam}/questions")] == [f"{exam}/questions/images"]


def test_no_image_is_drawn_twice_or_in_two_parts(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    parts = ["train/images", "validation/questions/images", "test/questions/images"]
    numbers = [number for part in parts for number in numbers_of(drawn[part])]
    assert len(numbers) == len(set(numbers)) == 100 + 30 + 30


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_labels_belong_to_their_images(recipe: ModuleType, root: Path, exam: str):
    drawn = draw(recipe, root)
    numbers = numbers_of(drawn[f"{exam}/questions/images"])
    assert drawn[f"{exam}/labels/labels"].tolist() == [number % 10 for number in numbers]


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_images_that_the_probe_learns_from_stand_anywhere(recipe: ModuleType, root: Path, exam: str):
    is_probe = draw(recipe, root)[f"{exam}/labels/is_probe"]
    assert is_probe.sum() == 10
    assert not is_probe[:10].all()
    assert not is_probe[-10:].all()


def test_both_exams_use_other_files(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    files = {
        exam: {n // PER_FILE for n in numbers_of(drawn[f"{exam}/questions/images"])} for exam in ("validation", "test")
    }
    assert files == {"validation": {4}, "test": {5}}


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = draw(recipe, root), draw(recipe, root), draw(recipe, root, seed=7)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not any(np.array_equal(first[name], other[name]) for name in first)


def test_images_that_occur_twice_are_left_out(recipe: ModuleType, tmp_path: Path):
    numbers = plain_numbers()
    numbers[0][0] = numbers[5][3]
    numbers[4][1] = numbers[4][2]
    write_raw(tmp_path, numbers)
    prepare(recipe, tmp_path)
    sizes = {split: len(np.load(tmp_path / "pools" / split / "images.npy")) for split in recipe.SPLITS}
    assert sizes == {"train": 4 * PER_FILE - 1, "validation": PER_FILE - 2, "test": PER_FILE - 1}


def test_a_pool_that_is_too_small_is_said_to_be(recipe: ModuleType):
    with pytest.raises(SystemExit, match="31 images are wanted, but the pool has 30"):
        recipe.draw_exam(30, 11, 20, np.random.default_rng(0))
