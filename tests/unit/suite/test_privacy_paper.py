"""The paper track of privacy: its manifest, its recipe on small files in CIFAR-10's format, and its views of images."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import find_task
from tests.programs import load_program

Array = npt.NDArray[Any]

FILES = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
SETTINGS = {"models": 5, "candidates": 60, "audit_images": 20, "accuracy_images": 12, "public_images": 24}


@pytest.fixture(scope="module")
def paper() -> TaskFolder:
    return find_task("privacy").on("paper")


@pytest.fixture(scope="module")
def signals(paper: TaskFolder) -> ModuleType:
    return load_program(paper.grader / "signals.py")


@pytest.fixture(scope="module")
def drawn(paper: TaskFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draw from 240 images, of which two are equal."""
    root = tmp_path_factory.mktemp("draw")
    raw = root / "raw" / "cifar-10"
    raw.mkdir(parents=True)
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.arange(240) % 10, rng.integers(0, 256, (240, 3072))]).astype(np.uint8)
    rows[1] = rows[0]
    for name, part in zip(FILES, np.split(rows, len(FILES)), strict=True):
        (raw / name).write_bytes(part.tobytes())
    (root / "stage.json").write_text(json.dumps({"seed": 7, "settings": SETTINGS}), "utf-8")
    for command in ("prepare", "draw"):
        subprocess.run([sys.executable, paper.recipe / "recipe.py", command, root], check=True, timeout=100)
    return root


def images_in(folder: Path, name: str = "images") -> set[bytes]:
    return {image.tobytes() for image in np.load(folder / f"{name}.npy")}


def test_codebase_and_data_are_the_papers(paper: TaskFolder):
    assert (paper.task.codebase.name, paper.task.codebase.version[:7]) == ("ml-privacy-meter", "e384af8")
    assert [material.name for material in paper.task.data] == ["cifar-10"]
    assert paper.task.data == find_task("representation-learning").task.data


def test_there_is_a_training_stage_alone_for_every_network(paper: TaskFolder):
    track = paper.track("paper")
    assert [stage.name for stage in track.training] == [f"model-{number}" for number in range(1, 6)]
    assert all(stage.alone and stage.data == (stage.name, "public") for stage in track.training)
    assert (track.settings["models"], track.settings["epochs"]) == (5, 50)


def test_the_networks_are_no_editable_files(paper: TaskFolder):
    assert not any(glob.startswith(("family", "models")) for glob in paper.task.editable.globs)


def test_no_image_is_in_two_pools_and_of_equal_ones_one_is_kept(drawn: Path):
    pools = [images_in(folder) for folder in sorted((drawn / "pools").iterdir())]
    assert sum(len(pool) for pool in pools) == len(set[bytes]().union(*pools)) == 239
    # 239 images are cut at 79.7, 159.3, 179.3 and 199.2.
    assert sorted(len(pool) for pool in pools) == [20, 20, 40, 79, 80]


def test_an_audit_attacks_members_and_others_and_both_audits_supply_half_of_the_members(drawn: Path):
    for number in range(5):
        members = images_in(drawn / "out" / f"model-{number + 1}")
        assert len(members) == 60
        for exam in ("validation", "test"):
            labels = drawn / "out" / exam / "labels"
            told = np.load(labels / "members.npy")[number]
            attacked = [image.tobytes() in members for image in np.load(labels / "audit_images.npy")]
            assert attacked == told.tolist()
            assert len(attacked) == 20


def test_classes_have_the_same_new_numbers_everywhere(drawn: Path):
    raw = b"".join((drawn / "raw" / "cifar-10" / name).read_bytes() for name in FILES)
    own = {row[1:]: row[0] for row in (raw[start : start + 3073] for start in range(0, len(raw), 3073))}
    pairs: set[tuple[int, int]] = set()
    for folder, kind in [
        ("model-1", ""),
        ("model-4", ""),
        ("test/labels", "audit_"),
        ("validation/labels", "accuracy_"),
    ]:
        images, labels = (np.load(drawn / "out" / folder / f"{kind}{name}.npy") for name in ("images", "labels"))
        pairs |= {(own[image.tobytes()], int(label)) for image, label in zip(images, labels, strict=True)}
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs}) == 10


def test_neither_public_images_nor_questions_say_anything_else(drawn: Path):
    assert [path.name for path in (drawn / "out" / "public").iterdir()] == ["images.npy"]
    assert np.load(drawn / "out" / "test" / "questions" / "models.npy").tolist() == [1, 2, 3, 4, 5]


def test_views_are_the_image_its_mirror_image_and_four_moves(signals: ModuleType):
    image = np.zeros((1, 3, 32, 32), dtype=np.uint8)
    image[0, :, 10, 20] = 1
    places = [tuple(int(axis[0]) for axis in np.nonzero(view[0, 0])) for view in signals.views_of(image)]
    assert places == [(10, 20), (10, 11), (12, 20), (8, 20), (10, 22), (10, 18)]


def test_distance_is_the_share_of_views_with_the_right_label(signals: ModuleType):
    image = np.zeros((1, 3, 32, 32), dtype=np.uint8)
    image[0, :, 10, 20] = 255

    def lit_right_of_the_middle(images: Array) -> Array:
        lit = images[:, 0, :, 16:].max(axis=(1, 2)) > 0
        return np.where(lit[:, None], [[0.0, 2.0]], [[2.0, 0.0]])

    labels = {"audit_images": image, "audit_labels": np.array([1]), "accuracy_images": image}
    measured = signals.Signals.of([lit_right_of_the_middle], labels)
    assert measured.right.tolist() == [[1.0]]
    # Only the mirror image has its light on the left.
    assert measured.distance[0, 0] == pytest.approx(5 / 6)
    # Scores of -1 and 1 have a typical size of 1 and become -3 and 3: log odds of 6.
    assert measured.margin[0, 0] == pytest.approx(6.0)
