"""The data recipe of privacy and its format for weights, on made-up images that can be told apart by their bytes."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program

Array = npt.NDArray[Any]

PER_CLASS = 60
SETTINGS = {"models": 3, "audit_images": 40, "accuracy_images": 30, "public_images": 25}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    return load_program(find_task("privacy").recipe / "recipe.py")


@pytest.fixture(scope="module")
def root(recipe: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pools, made from files like the genuine ones: lists of pixels by class, some of them empty or twice there."""
    root = tmp_path_factory.mktemp("privacy")
    (root / "raw" / "fashion-mnist").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for label in range(10):
        # Brightness tells the class, so that labels can be checked against images.
        images: list[list[int]] = (20 * label + rng.integers(0, 20, (PER_CLASS, 784))).tolist()
        rows: list[list[int]] = [*images, [], images[0]]
        (root / "raw" / "fashion-mnist" / f"{label}.json").write_text(json.dumps({"data": rows}))
    recipe.prepare(root)
    return root


def draw(recipe: ModuleType, root: Path, seed: int, where: Path) -> Path:
    where.mkdir()
    (where / "pools").symlink_to(root / "pools")
    (where / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(where)
    return where / "out"


@pytest.fixture(scope="module")
def drawn(recipe: ModuleType, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw(recipe, root, SEED, tmp_path_factory.mktemp("drawn") / "one")


def rows_of(*paths: Path) -> list[bytes]:
    return [row.tobytes() for path in paths for row in np.load(path)]


def arrays_in(folder: Path) -> dict[str, Array]:
    return {str(path.relative_to(folder)): np.load(path) for path in sorted(folder.rglob("*.npy"))}


def test_every_image_is_in_one_pool_once(root: Path):
    images = rows_of(*(root / "pools").glob("*/images.npy"))
    assert len(images) == len(set(images)) == 10 * PER_CLASS


def test_squares_of_four_pixels_are_averaged(recipe: ModuleType):
    image = np.zeros((28, 28), dtype=np.uint8)
    image[:2, 2:4] = [[10, 20], [30, 40]]
    image[26:, 26:] = 255
    small = recipe.shrink(image.reshape(1, 784))[0]
    assert (small[1], small[-1], small[0]) == (25, 255, 0)


def test_every_network_gets_a_random_half_of_both_audits_and_no_more(drawn: Path):
    audits = {exam: arrays_in(drawn / exam / "labels") for exam in ("validation", "test")}
    for model in range(SETTINGS["models"]):
        members = [
            (image.tobytes(), label)
            for audit in audits.values()
            for image, label, member in zip(
                audit["audit_images.npy"], audit["audit_labels.npy"], audit["members.npy"][model], strict=True
            )
            if member
        ]
        seen = arrays_in(drawn / f"model-{model + 1}")
        assert len(members) == SETTINGS["audit_images"]
        assert sorted(
            zip(rows_of(drawn / f"model-{model + 1}" / "images.npy"), seen["labels.npy"], strict=True)
        ) == sorted(members)
    halves = audits["test"]["members.npy"]
    assert not (halves[0] == halves[1]).all()


def test_audits_accuracy_and_public_images_have_nothing_in_common(drawn: Path):
    parts = [drawn / "public" / "images.npy"]
    parts += [
        drawn / exam / "labels" / f"{what}_images.npy"
        for exam in ("validation", "test")
        for what in ("audit", "accuracy")
    ]
    images = rows_of(*parts)
    assert len(images) == len(set(images))


def test_an_exam_asks_for_networks_by_number_and_public_images_have_no_labels(drawn: Path):
    for exam in ("validation", "test"):
        assert {name: array.tolist() for name, array in arrays_in(drawn / exam / "questions").items()} == {
            "models.npy": [1, 2, 3]
        }
    assert list(arrays_in(drawn / "public")) == ["images.npy"]


def test_pixels_and_classes_are_named_anew_and_alike_for_everybody(
    recipe: ModuleType, root: Path, drawn: Path, tmp_path: Path
):
    def classes_by_brightness(folder: Path) -> dict[int, int]:
        seen = arrays_in(folder)
        return {
            int(image.mean()) // 20: int(label)
            for image, label in zip(seen["images.npy"], seen["labels.npy"], strict=True)
        }

    names = classes_by_brightness(drawn / "model-1")
    assert sorted(names.values()) == list(range(10))
    assert classes_by_brightness(drawn / "model-2") == names
    other = draw(recipe, root, SEED + 1, tmp_path / "other")
    assert classes_by_brightness(other / "model-1") != names
    pools = set(rows_of(*(root / "pools").glob("*/images.npy")))
    assert not pools & set(rows_of(drawn / "model-1" / "images.npy"))


def test_the_same_seed_draws_the_same(recipe: ModuleType, root: Path, drawn: Path, tmp_path: Path):
    first, again = arrays_in(drawn), arrays_in(draw(recipe, root, SEED, tmp_path / "again"))
    assert first.keys() == again.keys()
    assert all((first[name] == again[name]).all() for name in first)


def test_practice_is_cut_from_images_that_no_exam_and_no_member_comes_from(root: Path, tmp_path: Path):
    (tmp_path / "practice").mkdir()
    (tmp_path / "pools").symlink_to(root / "pools")
    program = find_task("privacy").practice
    assert program
    subprocess.run([sys.executable, program, "practice", tmp_path], check=True, timeout=60)
    cut = rows_of(*(tmp_path / "practice").glob("*/images.npy"))
    assert sorted(cut) == sorted(rows_of(root / "pools" / "practice" / "images.npy"))
    assert {path.name for path in (tmp_path / "practice").iterdir()} == {
        path.name for path in (root / "pools").iterdir() if path.name != "practice"
    }


def test_weights_come_back_from_their_file_as_they_were(tmp_path: Path):
    safetensors = load_program(find_task("privacy").experiment / "safetensors.py")
    arrays = {
        "linear.0.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
        "linear.0.bias": np.array([7, 8], dtype=np.float32),
    }
    safetensors.write(tmp_path / "weights", arrays, {"layers": 1})
    back, facts = safetensors.read(tmp_path / "weights")
    assert facts == {"layers": "1"}
    assert {name: array.tolist() for name, array in back.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }
    content = (tmp_path / "weights").read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    assert header["linear.0.bias"] == {"dtype": "F32", "shape": [2], "data_offsets": [24, 32]}
