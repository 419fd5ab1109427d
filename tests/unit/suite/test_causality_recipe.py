"""The data recipe of causality, on made-up populations of the genuine formats."""

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

INFANTS, ADULTS = 120, 60
SETTINGS = {"realisations": 4, "train_units": 100, "exam_units": 10, "factors": 3}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
PARTS = ("train/covariates", "validation/questions/covariates", "test/questions/covariates")
WORLDS = ("scored", "lab", "sibling")


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("causality") as module:
        yield module


@pytest.fixture(autouse=True)
def small_populations(recipe: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe.populations, "INFANTS", INFANTS)
    monkeypatch.setattr(recipe.populations, "ADULTS", ADULTS)


def made_up_infants() -> Array:
    rng = np.random.default_rng(0)
    binary = rng.integers(0, 2, (INFANTS, 19)).astype(float)
    binary[:, 7] += 1
    return np.column_stack([np.full((INFANTS, 5), 99.0), rng.standard_normal((INFANTS, 6)), binary])


def made_up_adults(recipe: ModuleType) -> list[str]:
    rng = np.random.default_rng(1)
    rows: list[str] = []
    for _ in range(ADULTS + 20):
        cells = [str(rng.integers(1, 90)) for _ in range(15)]
        for column, values in recipe.populations.ANSWERS.items():
            cells[column] = str(rng.choice([*values, "Other"]))
        rows.append(", ".join(cells))
    return [*rows, rows[0].replace(rows[0].split(", ")[1], "?", 1)]


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    for name in ("ihdp", "adult"):
        (tmp_path / "raw" / name).mkdir(parents=True)
    np.savetxt(tmp_path / "raw" / "ihdp" / "ihdp.csv", made_up_infants(), delimiter=",")
    (tmp_path / "raw" / "adult" / "adult.data").write_text("\n".join(made_up_adults(recipe)))
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **facts: object) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS, **facts}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_pools_divide_units_four_to_one_to_one(root: Path):
    for name, counts in {"infants": [80, 20, 20], "adults": [40, 10, 10]}.items():
        assert np.bincount(np.load(root / "pools" / f"{name}_split.npy")).tolist() == counts
        assert np.load(root / "pools" / f"{name}_covariates.npy").shape == (sum(counts), 25)


def test_no_exam_and_no_training_shows_a_public_row(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    public = np.load(root / "pools" / "infants_covariates.npy")
    ordered = np.sort(np.abs(public), axis=1)
    for part in PARTS:
        shown = np.sort(np.abs(drawn[part].reshape(-1, 25)), axis=1)
        assert np.abs(shown[:, None] - ordered[None]).max(axis=2).min() > 0.01


def test_questions_hold_a_realisation_and_covariates_and_nothing_else(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    shown = {name for name in drawn if "/labels/" not in name}
    asked = {f"{exam}/questions/{name}" for exam in ("validation", "test") for name in ("realisation", "covariates")}
    assert shown == {"train/covariates", "train/treatment", "train/outcomes", *asked}
    assert drawn["train/covariates"].shape == (8, 100, 25)
    assert drawn["test/questions/covariates"].shape == (4 * 10, 25)


def test_every_realisation_is_asked_about_in_one_exam_only(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    validation, test = (set(drawn[f"{exam}/questions/realisation"]) for exam in ("validation", "test"))
    assert len(validation) == len(test) == 4
    assert validation | test == set(range(8))


def test_labels_stand_in_the_order_of_the_questions(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert np.array_equal(drawn["test/labels/realisation"], drawn["test/questions/realisation"])
    assert drawn["test/labels/effects"].shape == drawn["test/labels/yardstick"].shape == (40,)
    assert (drawn["test/labels/yardstick"] > 0).all()


@pytest.mark.parametrize("world", WORLDS)
def test_outcomes_are_standardised_and_both_arms_are_seen(recipe: ModuleType, root: Path, world: str):
    drawn = draw(recipe, root, world=world)
    assert np.allclose(drawn["train/outcomes"].mean(axis=1), 0, atol=1e-5)
    assert np.allclose(drawn["train/outcomes"].std(axis=1), 1, atol=1e-5)
    assert ((drawn["train/treatment"].mean(axis=1) > 0.1) & (drawn["train/treatment"].mean(axis=1) < 0.9)).all()


def test_worlds_share_no_kind_of_surface_and_the_sibling_has_its_own_population(recipe: ModuleType):
    kinds: list[str] = [kind for world in WORLDS for kind in set(recipe.surfaces.KINDS[world])]
    assert len(kinds) == len(set(kinds))
    assert recipe.POPULATION["sibling"] not in (recipe.POPULATION["scored"], recipe.POPULATION["lab"])


@pytest.mark.parametrize("world", WORLDS)
def test_every_kind_of_surface_is_finite_and_drawn_anew(recipe: ModuleType, world: str):
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((80, 3))
    for kind in recipe.surfaces.KINDS[world]:
        for width in (1, 3):
            first, second = kind(factors[:, :width], rng), kind(factors[:, :width], rng)
            assert np.isfinite([first, second]).all()
    first, second = (recipe.surfaces.compose(factors, np.arange(3), world, rng) for _ in range(2))
    assert not np.allclose(first, second)


def test_surfaces_depend_on_their_own_factors_alone(recipe: ModuleType):
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((80, 3))
    changed = np.column_stack([factors[:, :2], rng.standard_normal(80)])
    for seed in range(10):
        surfaces = [
            recipe.surfaces.compose(some, np.arange(2), "scored", np.random.default_rng(seed))
            for some in (factors, changed)
        ]
        assert np.array_equal(*surfaces)


def test_a_starved_draw_keeps_two_percent_of_the_units_and_both_arms_and_the_same_exams(recipe: ModuleType, root: Path):
    whole, starved = draw(recipe, root), draw(recipe, root, train_share=0.02)
    assert starved["train/outcomes"].shape == (8, 4)
    assert (starved["train/treatment"].sum(axis=1) == 2).all()
    assert all(np.array_equal(whole[name], starved[name]) for name in whole if not name.startswith("train/"))


def test_circumstances_cover_every_stratum_of_their_range(recipe: ModuleType):
    drawn = recipe.realisation.draw_circumstances(10, np.random.default_rng(0))
    low, high = recipe.realisation.RANGES["noise"]
    strata = sorted(int((one["noise"] - low) / (high - low) * 10) for one in drawn)
    assert strata == list(range(10))


def test_the_yardstick_is_nearly_perfect_where_effects_are_linear_and_noise_is_small(recipe: ModuleType):
    rng = np.random.default_rng(0)
    factors, treatment = rng.standard_normal((220, 2)), np.arange(220) % 2
    effects = 1 + factors[:, 0]
    outcomes = treatment * effects + 0.01 * rng.standard_normal(220)
    error = recipe.yardstick.measure(factors[:200], treatment[:200], outcomes[:200], factors[200:], effects[200:])
    assert error < 0.15


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_a_missing_row_is_noticed(recipe: ModuleType, tmp_path: Path):
    np.savetxt(tmp_path / "ihdp.csv", made_up_infants()[1:], delimiter=",")
    with pytest.raises(SystemExit, match="expected 120 rows"):
        recipe.populations.read_infants(tmp_path / "ihdp.csv")
