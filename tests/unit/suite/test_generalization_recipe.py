"""The data recipe of generalization, on small pools of made-up pictures."""

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

SETTINGS = {
    "train_per_domain": 100,
    "exam_per_seen_domain": 10,
    "exam_per_unseen_domain": 20,
    "unseen_domains": 3,
    "sensor_size": 12,
}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
WORLDS = ("scored", "lab", "sibling")


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("generalization") as module:
        yield module


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pools in which every picture is noise: 12 classes of subjects, 40 backdrops."""
    root = tmp_path_factory.mktemp("root")
    rng = np.random.default_rng(0)
    for world in WORLDS:
        for part, count in (("subjects", 900), ("backdrops", 40)):
            folder = root / "pools" / world / part
            folder.mkdir(parents=True)
            np.save(folder / "images.npy", rng.integers(0, 256, (count, 14, 14)).astype(np.uint8))
            np.save(folder / "labels.npy", np.arange(count) % 12)
            np.save(folder / "fifths.npy", np.arange(count) % 5)
    return root


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **facts: Any) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS, **facts}))
    shutil.rmtree(root / "out", ignore_errors=True)
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


@pytest.fixture(scope="module")
def drawn(recipe: ModuleType, root: Path) -> dict[str, Array]:
    return draw(recipe, root)


@pytest.mark.parametrize("world", WORLDS)
def test_every_world_has_ten_seen_domains_and_asks_about_unseen_ones(recipe: ModuleType, root: Path, world: str):
    drawn = draw(recipe, root, world=world)
    assert np.bincount(drawn["train/domains"]).tolist() == [100] * 10
    for exam in ("validation", "test"):
        assert np.bincount(drawn[f"{exam}/labels/domains"]).tolist() == [10] * 10 + [20] * 3
        assert set(np.unique(drawn[f"{exam}/labels/labels"])) <= set(range(10))


def test_questions_hold_nothing_but_readings(drawn: dict[str, Array]):
    questions = {name for name in drawn if "questions" in name}
    assert questions == {"validation/questions/readings", "test/questions/readings"}
    assert drawn["test/questions/readings"].shape == (160, 12)
    assert drawn["test/questions/readings"].dtype == np.float32


def test_a_seed_draws_the_same_again_and_another_seed_something_else(
    recipe: ModuleType, root: Path, drawn: dict[str, Array]
):
    again, other = (draw(recipe, root, seed) for seed in (SEED, SEED + 1))
    assert all(np.array_equal(drawn[name], again[name]) for name in drawn)
    assert all(not np.array_equal(drawn[name], other[name]) for name in drawn)


def test_second_moments_of_readings_tell_nothing_about_the_rotation(drawn: dict[str, Array]):
    covariance = np.cov(drawn["train/readings"], rowvar=False)
    assert np.abs(covariance - np.eye(12)).max() < 1e-3


def test_two_seeds_number_the_classes_and_choose_the_backdrops_differently(recipe: ModuleType):
    classes, backdrops = np.arange(10), np.random.default_rng(0).integers(1, 256, (40, 14, 14))
    first, second = (recipe.draw_universe(classes, backdrops, np.random.default_rng(seed)) for seed in (1, 2))
    assert sorted(first.label_of_class.values()) == sorted(second.label_of_class.values()) == list(range(10))
    assert first.label_of_class != second.label_of_class
    assert not np.array_equal(first.backdrops, second.backdrops)


def test_a_starved_sample_keeps_few_examples_of_each_domain_and_the_same_exams(
    recipe: ModuleType, root: Path, drawn: dict[str, Array]
):
    starved = draw(recipe, root, train_share=0.3)
    assert np.bincount(starved["train/domains"]).tolist() == [30] * 10
    assert set(starved["train/readings"][:, 0]) < set(drawn["train/readings"][:, 0])
    assert all(np.array_equal(starved[name], drawn[name]) for name in drawn if not name.startswith("train/"))


def test_the_least_share_of_a_domain_is_two_examples_a_label(recipe: ModuleType):
    domains = np.repeat([0, 1], 1200)
    assert np.bincount(domains[recipe.keep_share(domains, 0.02)]).tolist() == [24, 24]
    assert np.bincount(domains[recipe.keep_share(domains, 0.001)]).tolist() == [20, 20]


def test_splits_share_no_picture(recipe: ModuleType):
    parts = list(recipe.SPLITS.values())
    assert sorted(number for part in parts for number in part) == [0, 1, 2, 3, 4]
    pictures = np.random.default_rng(0).integers(0, 256, (2000, 28, 28)).astype(np.uint8)
    fifths = [recipe.fifth(picture) for picture in pictures]
    # 2000 pictures: a fifth has 400 of them with a standard deviation of 18.
    assert np.abs(np.bincount(fifths, minlength=5) - 400).max() < 80
    assert recipe.fifth(pictures[0].copy()) == fifths[0]


def test_worlds_share_no_class_of_drawings(recipe: ModuleType):
    names = [f"class {number}" for number in range(345)]
    parts = recipe.deal_classes(names, recipe.DRAWINGS, "fmlbench generalization")
    assert set(parts) == {"scored/backdrops", "lab/subjects", "lab/backdrops"}
    assert sorted(name for part in parts.values() for name in part) == sorted(names)


def test_worlds_differ_in_exposure_and_distortions(recipe: ModuleType):
    worlds = list(recipe.WORLDS.values())
    assert len({world.expose for world in worlds}) == len({world.distortions for world in worlds}) == 3


def test_labels_are_wrong_in_training_alone(recipe: ModuleType, root: Path):
    pools = root / "pools" / "scored" / "subjects"
    subjects = {part: np.load(pools / f"{part}.npy") for part in ("images", "labels", "fifths")}
    # Every subject is of class 3, so a label that is not its own is an error.
    subjects["labels"] = np.full_like(subjects["labels"], 3)
    universe = recipe.Universe({3: 7}, np.zeros((10, 2, 14, 14), np.uint8))
    world, rng = recipe.WORLDS["scored"], np.random.default_rng(1)
    domain = recipe.draw_domain(world, 0.5, np.arange(10), 0.3, rng)
    taken: dict[str, Array] = {
        split: recipe.take_pictures(world, universe, subjects, split, [(domain, 2000)], rng)["labels"]
        for split in ("train", "validation", "test")
    }
    wrong = {split: 1 - labels.tolist().count(7) / len(labels) for split, labels in taken.items()}
    # One in ten of the labels that are drawn at random is right by chance.
    assert wrong["train"] == pytest.approx(0.9 * world.label_errors, abs=0.04)
    assert wrong["validation"] == wrong["test"] == 0


@pytest.mark.parametrize("habit", [0.4, 0.95])
def test_backdrops_follow_the_habit_of_their_domain(recipe: ModuleType, habit: float):
    world, rng = recipe.WORLDS["scored"], np.random.default_rng(2)
    order = np.roll(np.arange(10), 3)
    domain = recipe.draw_domain(world, habit, order, 0.3, rng)
    backdrops = np.arange(10)[:, None, None, None] * np.ones((10, 2, 14, 14))
    labels = rng.integers(0, 10, 20_000)
    owners = recipe.choose_backdrops(backdrops, labels, domain, rng)[:, 0, 0]
    assert np.mean(owners == order[labels]) == pytest.approx(habit + (1 - habit) / 10, abs=0.02)


def test_in_unseen_domains_backdrops_say_nothing_about_the_label(recipe: ModuleType):
    world, rng = recipe.WORLDS["scored"], np.random.default_rng(3)
    (domain,) = recipe.draw_unseen_domains(world, {"unseen_domains": 1}, rng)
    backdrops = np.arange(10)[:, None, None, None] * np.ones((10, 2, 14, 14))
    labels = rng.integers(0, 10, 20_000)
    owners = recipe.choose_backdrops(backdrops, labels, domain, rng)[:, 0, 0].astype(int)
    shares = np.zeros((10, 10))
    np.add.at(shares, (labels, owners), 10 / 20_000)
    # 2,000 of each label: a tenth has a standard deviation of 0.007.
    assert np.abs(shares - 0.1).max() < 0.035


def test_every_label_changes_its_backdrops_in_four_of_the_ten_seen_domains(recipe: ModuleType):
    domains = recipe.draw_seen_domains(recipe.WORLDS["scored"], np.random.default_rng(4))
    moved = np.array([domain.order != np.arange(10) for domain in domains])
    assert moved.sum(axis=0).tolist() == moved.sum(axis=1).tolist() == [4] * 10
    assert all(sorted(domain.order) == list(range(10)) for domain in domains)


def test_a_domain_has_equally_many_subjects_of_each_class(recipe: ModuleType):
    subjects = {"labels": np.arange(600) % 12, "fifths": np.arange(600) // 12 % 5}
    universe = recipe.Universe({2: 0, 5: 1, 7: 2}, np.zeros(0))
    rows = recipe.choose_subjects(universe, subjects, "validation", 90, np.random.default_rng(5))
    assert np.bincount(subjects["labels"][rows], minlength=12)[[2, 5, 7]].tolist() == [30] * 3
    assert set(subjects["fifths"][rows]) == {3}


def test_backdrops_are_equally_easy_to_see(recipe: ModuleType):
    images = np.zeros((2, 14, 14), np.uint8)
    images[0, :4], images[1, :7] = 200, 60
    strengths = np.sqrt(np.mean((recipe.equalise_ink(images) / 255) ** 2, axis=(1, 2)))
    assert strengths == pytest.approx([recipe.BACKDROP_INK] * 2, abs=0.01)


def test_a_habit_does_not_show_in_the_number_of_a_domain(recipe: ModuleType):
    worlds = recipe.WORLDS["scored"]
    orders = {
        tuple(np.argsort([domain.habit for domain in recipe.draw_seen_domains(worlds, np.random.default_rng(seed))]))
        for seed in range(5)
    }
    assert len(orders) == 5
