"""The data recipe of continual-learning, on few kinds of made-up pictures."""

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

SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
SETTINGS = {"train_per_class": 8, "exam_per_class": 4, "sensor_size": 16}
CONTEXTS = [f"context-{number}" for number in range(1, 5)]
EXAMS = ["validation", "test"]
KINDS = 50


@pytest.fixture
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("continual-learning") as module:
        yield module


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    """Pools of 50 kinds with 8 pictures each: a smooth picture for each kind, with a little noise."""
    rng = np.random.default_rng(0)
    for world in ("scored", "lab", "sibling"):
        shapes = np.kron(rng.integers(0, 2, (KINDS, 7, 7)), np.ones((4, 4))) * 200
        kinds = [np.clip(shape + rng.integers(0, 40, (8, 28, 28)), 0, 255).astype(np.uint8) for shape in shapes]
        recipe.save(tmp_path / "pools" / world, **recipe.make_pool(kinds), ease=np.float64(0.9))
    return tmp_path


def load_pool(root: Path) -> dict[str, Array]:
    return {name: np.load(root / "pools" / "scored" / f"{name}.npy") for name in ("pictures", "kinds", "parts")}


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **facts: Any) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS, **facts}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_every_context_has_its_own_ten_classes_and_equally_many_vectors_of_each(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for number, context in enumerate(CONTEXTS):
        names, counts = np.unique(drawn[f"{context}/labels"], return_counts=True)
        assert names.tolist() == list(range(10 * number, 10 * number + 10))
        assert set(counts.tolist()) == {8}
        assert drawn[f"{context}/vectors"].shape == (80, 16)


@pytest.mark.parametrize("exam", EXAMS)
def test_an_exam_asks_about_all_classes_equally_often_and_shows_vectors_only(recipe: ModuleType, root: Path, exam: str):
    drawn = draw(recipe, root)
    assert [name for name in drawn if name.startswith(f"{exam}/questions/")] == [f"{exam}/questions/vectors"]
    assert np.bincount(drawn[f"{exam}/labels/labels"]).tolist() == [4] * 40


def test_second_moments_of_the_training_vectors_say_nothing_about_the_sensor(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    vectors = np.concatenate([drawn[f"{context}/vectors"] for context in CONTEXTS])
    assert np.abs(np.cov(vectors.T) - np.eye(16)).max() < 0.01


def test_a_class_is_the_same_kind_in_its_context_and_in_both_exams(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    vectors = np.concatenate([drawn[f"{context}/vectors"] for context in CONTEXTS])
    labels = np.concatenate([drawn[f"{context}/labels"] for context in CONTEXTS])
    means = np.stack([vectors[labels == label].mean(axis=0) for label in range(40)])
    for exam in EXAMS:
        asked = drawn[f"{exam}/questions/vectors"]
        nearest = ((asked[:, None] - means) ** 2).sum(axis=-1).argmin(axis=1)
        # The made-up kinds are easy to tell apart; chance is 1 in 40.
        assert (nearest == drawn[f"{exam}/labels/labels"]).mean() > 0.4


def test_a_seed_draws_the_same_again_and_another_seed_other_kinds_and_another_sensor(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.allclose(first["context-1/vectors"], other["context-1/vectors"], atol=0.1)
    pool = load_pool(root)
    (kinds, poses), (others, other_poses) = (recipe.choose(pool, np.random.default_rng(seed)) for seed in (0, 1))
    assert (kinds == others).sum() < 10
    assert not np.allclose(poses, other_poses, atol=0.1)


def test_a_quarter_turn_is_a_pose(recipe: ModuleType):
    pictures = np.random.default_rng(0).integers(0, 256, (3, 28, 28)).astype(np.uint8)
    turned = recipe.pose(pictures, np.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert np.abs(turned.astype(int) - np.rot90(pictures, 1, axes=(1, 2))).max() <= 1


def test_poses_differ_in_angle_and_half_of_them_mirror(recipe: ModuleType):
    poses = np.stack([recipe.random_pose(np.random.default_rng(seed)) for seed in range(400)])
    assert 0.4 < (np.linalg.det(poses) < 0).mean() < 0.6
    angles = np.arctan2(poses[:, 0, 1], poses[:, 0, 0])
    assert all((np.abs(angles - middle) < 0.8).any() for middle in (-2.4, -0.8, 0.8, 2.4))


def test_of_all_choices_the_one_closest_to_the_usual_ease_is_drawn(recipe: ModuleType, root: Path, monkeypatch: Any):
    eases = iter([0.1, 0.95, 0.5, 0.2, 0.3, 0.4, 0.6, 0.7])
    chosen: list[Array] = []
    render = recipe.render

    def measure_next(*_: Any) -> float:
        return next(eases)

    def render_noted(pool: Any, kinds: Array, *rest: Any) -> Any:
        chosen.append(kinds)
        return render(pool, kinds, *rest)

    monkeypatch.setattr(recipe, "measure_ease", measure_next)
    monkeypatch.setattr(recipe, "render", render_noted)
    draw(recipe, root)
    expected, _ = recipe.choose(load_pool(root), np.random.default_rng([SEED, 0, 1]))
    assert np.array_equal(chosen[0], expected)


def test_noise_is_as_hard_as_chance_and_different_shapes_are_easy(recipe: ModuleType, root: Path):
    pool = load_pool(root)
    noise = np.random.default_rng(0).integers(0, 256, pool["pictures"].shape).astype(np.uint8)
    # Upright: turned noise could be told by the corners of its frame.
    kinds, poses = np.arange(40), [np.eye(2)] * 40
    assert recipe.measure_ease(pool, kinds, poses) > 0.9
    assert recipe.measure_ease({**pool, "pictures": noise}, kinds, poses) < 0.15


def test_worlds_draw_from_their_own_pools(recipe: ModuleType, root: Path):
    scored, lab = draw(recipe, root), draw(recipe, root, world="lab")
    assert not np.allclose(scored["context-1/vectors"], lab["context-1/vectors"], atol=0.1)


def test_a_starved_sample_keeps_two_examples_of_each_class_and_the_exams(recipe: ModuleType, root: Path):
    whole, starved = draw(recipe, root), draw(recipe, root, train_share=0.02)
    for context in CONTEXTS:
        assert np.unique(starved[f"{context}/labels"], return_counts=True)[1].tolist() == [2] * 10
        gaps = starved[f"{context}/vectors"][:, None] - whole[f"{context}/vectors"]
        assert (np.abs(gaps).max(axis=2).min(axis=1) < 1e-4).all()
    for name in (f"{exam}/{what}" for exam in EXAMS for what in ("questions/vectors", "labels/labels")):
        assert np.array_equal(whole[name], starved[name])


def test_a_larger_share_keeps_its_share(recipe: ModuleType, root: Path):
    assert len(draw(recipe, root, train_share=0.5)["context-1/labels"]) == 40


def test_training_validation_and_test_share_no_picture(recipe: ModuleType, root: Path):
    pool = load_pool(root)
    assert np.bincount(pool["parts"]).tolist() == [KINDS * 4, KINDS * 2, KINDS * 2]
    assert len({picture.tobytes() for picture in pool["pictures"]}) == KINDS * 8


def test_no_public_picture_is_rendered_as_it_is(recipe: ModuleType, root: Path):
    pool = load_pool(root)
    rendered, _ = recipe.render(pool, np.arange(4), [np.eye(2)] * 4, 1, 2, np.random.default_rng(0))
    gaps = np.abs(rendered[:, None] - pool["pictures"][None] / 255).max(axis=(2, 3))
    assert gaps.min() > 0.05


def test_a_kind_with_few_pictures_is_divided_in_the_same_shares(recipe: ModuleType):
    assert recipe.divide(8).tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


def test_a_kind_keeps_a_hundred_pictures_at_most(recipe: ModuleType):
    pictures = np.random.default_rng(0).integers(0, 256, (120, 28, 28)).astype(np.uint8)
    assert len(recipe.choose_pictures(pictures)) == 100


def test_no_kind_of_drawing_belongs_to_two_worlds(recipe: ModuleType):
    names = [f"kind {number}" for number in range(345)]
    worlds = recipe.deal_classes(names, recipe.DRAWINGS, "any")
    assert {world: len(members) for world, members in worlds.items()} == {"scored": 220, "lab": 100, "sibling": 25}
    assert sorted(name for members in worlds.values() for name in members) == sorted(names)
