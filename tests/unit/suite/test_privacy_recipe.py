"""The data recipe of privacy and its format for weights, on few pictures of noise."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program, loaded_recipe
from tests.unit.suite.digits import write_digits

Array = npt.NDArray[Any]

PER_KIND = 80
SETTINGS = {"models": 3, "audit_per_class": 6, "accuracy_per_class": 5, "public_per_class": 30, "sensor_size": 16}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("privacy") as module:
        yield module


def noise(number: int) -> Array:
    return np.random.default_rng(number).integers(0, 256, (28, 28))


@pytest.fixture(scope="module")
def root(recipe: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pools made from files like the real ones; some clothes are empty or repeated."""
    root = tmp_path_factory.mktemp("privacy")
    for name in ("mnist", "fashion-mnist"):
        (root / "raw" / name).mkdir(parents=True)
    for file, first in {"train": 0, "t10k": 700}.items():
        numbers = np.arange(first, first + 700 if first == 0 else 10 * PER_KIND)
        write_digits(root / "raw" / "mnist", file, np.stack([noise(int(n)) for n in numbers]), numbers % 10)
    for label in range(10):
        rows: list[list[int]] = [noise(1_000 + label * PER_KIND + n).ravel().tolist() for n in range(PER_KIND)]
        (root / "raw" / "fashion-mnist" / f"{label}.json").write_text(json.dumps({"data": [*rows, [], rows[0]]}))
    recipe.prepare(root)
    return root


def draw(recipe: ModuleType, root: Path, where: Path, seed: int = SEED, **facts: Any) -> dict[str, Array]:
    where.mkdir()
    (where / "pools").symlink_to(root / "pools")
    (where / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS, **facts}))
    recipe.draw(where)
    out = where / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


@pytest.fixture(scope="module")
def drawn(recipe: ModuleType, root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    return draw(recipe, root, tmp_path_factory.mktemp("drawn") / "one")


def rows_of(*arrays: Array) -> list[bytes]:
    return [row.tobytes() for array in arrays for row in array]


def test_worlds_share_no_picture_and_no_world_has_one_twice(root: Path):
    pools = {path.parent.name: rows_of(np.load(path)) for path in root.glob("pools/*/pictures.npy")}
    assert {world: len(rows) // PER_KIND for world, rows in pools.items()} == {"scored": 10, "lab": 5, "sibling": 4}
    pictures = [row for rows in pools.values() for row in rows]
    assert len(pictures) == len(set(pictures))


def test_every_network_gets_a_random_third_of_both_audits_and_no_more(drawn: dict[str, Array]):
    for model in range(SETTINGS["models"]):
        members = [
            (vector.tobytes(), label)
            for exam in ("validation", "test")
            for vector, label, member in zip(
                drawn[f"{exam}/labels/audit_vectors"],
                drawn[f"{exam}/labels/audit_labels"],
                drawn[f"{exam}/labels/members"][model],
                strict=True,
            )
            if member
        ]
        vectors, labels = (drawn[f"model-{model + 1}/{name}"] for name in ("vectors", "labels"))
        # Both audits have ten classes; a third of each is 20 pictures.
        assert len(members) == 2 * 20
        assert sorted(zip(rows_of(vectors), labels, strict=True)) == sorted(members)
    thirds = drawn["test/labels/members"]
    assert not (thirds[0] == thirds[1]).all()


def test_no_picture_serves_two_purposes(recipe: ModuleType, root: Path):
    source = recipe.Source(root / "pools" / "scored", "scored", np.random.default_rng(0))
    taken: dict[str, set[bytes]] = {}

    def keep(pictures: Array, rng: np.random.Generator, **_: float) -> Array:
        taken[part] = {picture.tobytes() for picture in pictures}
        return pictures

    def unchanged(pictures: Array, matrix: Array) -> Array:
        return pictures

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "rerender", keep)
        patch.setattr(recipe, "pose", unchanged)
        for part in recipe.PARTS:
            source.render(part, 3, np.random.default_rng(1))
    assert len(taken["audit-test"]) == 30
    every = [picture for pictures in taken.values() for picture in pictures]
    assert len(set(every)) == len(every)


def test_an_exam_asks_for_networks_by_number_and_public_vectors_have_no_labels(drawn: dict[str, Array]):
    for exam in ("validation", "test"):
        assert drawn[f"{exam}/questions/models"].tolist() == [1, 2, 3]
    assert [name for name in drawn if name.startswith("public")] == ["public/vectors"]
    assert drawn["public/vectors"].shape == (300, 16)


def test_public_vectors_are_white(drawn: dict[str, Array]):
    assert np.cov(drawn["public/vectors"], rowvar=False) == pytest.approx(np.eye(16), abs=0.01)


def test_the_sensor_is_not_linear(recipe: ModuleType, root: Path, tmp_path: Path):
    seen: list[Array] = []

    def keep(vectors: Array, rng: np.random.Generator) -> Any:
        seen.append(vectors)
        return make_crosstalk(vectors, rng)

    make_crosstalk = recipe.make_crosstalk
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "make_crosstalk", keep)
        read = draw(recipe, root, tmp_path / "sensor")["public/vectors"]
    fitted = np.linalg.lstsq(seen[0], read, rcond=None)[0]
    # White on both sides: a linear map would leave nothing unexplained.
    assert ((read - seen[0] @ fitted) ** 2).mean() > 0.05


def test_two_seeds_share_neither_classes_nor_vectors(recipe: ModuleType, root: Path):
    def classes(seed: int) -> list[tuple[int, int]]:
        return recipe.Source(root / "pools" / "scored", "scored", np.random.default_rng(seed)).classes

    assert len(set(classes(0))) == 10
    assert set(classes(0)) != set(classes(1))


def test_classes_of_one_kind_differ_by_thirty_degrees_at_least(recipe: ModuleType):
    nearest = np.pi / 2 - 2 * recipe.TILT
    assert nearest == pytest.approx(np.pi / 6)


def test_all_pictures_of_a_class_share_a_pose_that_differs_by_seed(recipe: ModuleType, root: Path):
    def poses(seed: int) -> list[Array]:
        return recipe.Source(root / "pools" / "scored", "scored", np.random.default_rng(seed)).poses

    assert len(poses(0)) == 10
    assert not np.allclose(poses(0), poses(1))
    pictures = np.stack([noise(0), noise(0)]).astype(np.uint8)
    moved = recipe.pose(pictures, poses(0)[0])
    assert (moved[0] == moved[1]).all()
    assert (recipe.pose(pictures, np.eye(2)) == pictures).all()


def test_the_same_seed_draws_the_same(recipe: ModuleType, root: Path, drawn: dict[str, Array], tmp_path: Path):
    again = draw(recipe, root, tmp_path / "again")
    assert drawn.keys() == again.keys()
    assert all((drawn[name] == again[name]).all() for name in drawn)
    other = draw(recipe, root, tmp_path / "other", seed=SEED + 1)
    assert not set(rows_of(other["public/vectors"])) & set(rows_of(drawn["public/vectors"]))


def test_a_starved_network_keeps_two_members_of_each_class(
    recipe: ModuleType, root: Path, drawn: dict[str, Array], tmp_path: Path
):
    starved = draw(recipe, root, tmp_path / "starved", train_share=0.02)
    counts = np.bincount(starved["model-1/labels"], minlength=10)
    whole = np.bincount(drawn["model-1/labels"], minlength=10)
    assert 2 * 10 - 2 <= counts.sum() <= 22
    assert (counts >= np.minimum(2, whole)).all()
    assert (starved["test/labels/audit_vectors"] == drawn["test/labels/audit_vectors"]).all()


@pytest.mark.parametrize("world", ["lab", "sibling"])
def test_other_worlds_have_the_same_form(
    recipe: ModuleType, root: Path, drawn: dict[str, Array], tmp_path: Path, world: str
):
    other = draw(recipe, root, tmp_path / world, world=world)
    assert {name: array.shape for name, array in other.items()} == {name: array.shape for name, array in drawn.items()}


def test_weights_come_back_from_their_file_as_they_were(tmp_path: Path):
    safetensors = load_program(find_task("privacy").experiment["safetensors.py"])
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
