"""The data recipe of causality, on a few made-up units that can be told apart by their first covariate."""

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

UNITS, TREATED = 120, 30
SETTINGS = {"realisations_per_family": 2, "train_units": 50, "noise": 0.3}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    program = find_task("causality").recipe / "recipe.py"
    module = load_program(program)
    monkeypatch.setattr(module, "UNITS", UNITS)
    monkeypatch.setattr(module, "SHARES", {"train": 80, "validation": 20, "test": 20})
    return module


def made_up_units() -> Array:
    rng = np.random.default_rng(0)
    treatment = (np.arange(UNITS) < TREATED).astype(float)
    binary = rng.integers(0, 2, (UNITS, 19)).astype(float)
    binary[:, 7] += 1
    continuous = rng.standard_normal((UNITS, 6))
    continuous[:, 0] = np.linspace(-2, 2, UNITS)
    return np.column_stack([treatment, np.full((UNITS, 4), 99.0), continuous, binary])


def write_units(root: Path, rows: Array) -> None:
    raw = root / "raw" / "ihdp"
    raw.mkdir(parents=True)
    np.savetxt(raw / "ihdp.csv", rows, delimiter=",")


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_units(tmp_path, made_up_units())
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **changes: float) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": {**SETTINGS, **changes}}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def units_in(covariates: Array) -> set[float]:
    """The first covariate names the unit."""
    return set(np.round(covariates[..., 0].ravel().astype(float), 4))


def test_training_validation_and_test_share_no_unit(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    parts = ("train/covariates", "validation/questions/covariates", "test/questions/covariates")
    train, validation, test = (units_in(drawn[part]) for part in parts)
    assert (len(validation), len(test)) == (20, 20)
    assert not train & (validation | test)
    assert not validation & test


def test_treated_units_are_spread_evenly_over_the_parts(recipe: ModuleType, root: Path):
    split, treatment = np.load(root / "pools" / "split.npy"), np.load(root / "pools" / "treatment.npy")
    assert np.bincount(split).tolist() == [80, 20, 20]
    assert np.bincount(split, weights=treatment).tolist() == [20, 5, 5]


def test_questions_hold_a_realisation_and_covariates_and_nothing_else(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam in ("validation", "test"):
        asked = {name for name in drawn if name.startswith(f"{exam}/questions/")}
        assert asked == {f"{exam}/questions/realisation", f"{exam}/questions/covariates"}
        assert drawn[f"{exam}/questions/covariates"].shape == (6 * 20, 25)
    assert {name for name in drawn if name.startswith("train/")} == {
        "train/covariates",
        "train/treatment",
        "train/outcomes",
    }


def test_every_realisation_is_asked_about_in_one_exam_only(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    validation, test = (set(drawn[f"{exam}/questions/realisation"]) for exam in ("validation", "test"))
    assert len(validation) == len(test) == 6
    assert validation | test == set(range(len(drawn["train/outcomes"])))


def test_families_of_the_exams_differ(recipe: ModuleType):
    assert not set(recipe.EXAMS["validation"]) & set(recipe.EXAMS["test"])


def test_the_number_of_a_realisation_does_not_tell_its_exam(recipe: ModuleType, root: Path):
    first = [0 in draw(recipe, root, seed)["test/questions/realisation"] for seed in range(60)]
    # An even chance: 60 draws have a standard error of 0.065.
    assert 0.24 < np.mean(first) < 0.76


def test_outcomes_are_standardised_and_effects_use_the_same_scale(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert np.allclose(drawn["train/outcomes"].mean(axis=1), 0, atol=1e-5)
    assert np.allclose(drawn["train/outcomes"].std(axis=1), 1, atol=1e-5)


def test_without_noise_and_covariates_that_matter_the_arms_differ_by_the_effect(
    recipe: ModuleType, root: Path, monkeypatch: pytest.MonkeyPatch
):
    def only_an_effect(covariates: Array, _treatment: Array, _rng: object) -> tuple[Array, Array]:
        return np.zeros(len(covariates)), np.full(len(covariates), 3.0)

    monkeypatch.setattr(recipe, "EXAMS", {"validation": (only_an_effect,), "test": (only_an_effect,)})
    drawn = draw(recipe, root)
    treatment, outcomes = drawn["train/treatment"], drawn["train/outcomes"]
    difference = [y[w == 1].mean() - y[w == 0].mean() for w, y in zip(treatment, outcomes, strict=True)]
    asked = drawn["test/labels/realisation"]
    assert np.allclose(drawn["test/labels/effects"], np.array(difference)[asked], rtol=1e-5)


def test_labels_stand_in_the_order_of_the_questions(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert np.array_equal(drawn["test/labels/realisation"], drawn["test/questions/realisation"])
    assert drawn["test/labels/effects"].shape == (6 * 20,)


def test_hills_first_surface_has_one_effect_for_all(recipe: ModuleType):
    covariates = np.random.default_rng(0).standard_normal((50, 25))
    untreated, treated = recipe.surfaces.linear(covariates, np.arange(50) % 2, np.random.default_rng(1))
    assert np.allclose(treated - untreated, 4)


def test_hills_second_surface_gives_the_treated_four_on_average(recipe: ModuleType):
    covariates, treatment = np.random.default_rng(0).standard_normal((50, 25)), np.arange(50) % 2
    untreated, treated = recipe.surfaces.exponential(covariates, treatment, np.random.default_rng(1))
    assert (treated - untreated)[treatment == 1].mean() == pytest.approx(4)


def test_every_family_is_finite_and_drawn_afresh(recipe: ModuleType):
    rng = np.random.default_rng(0)
    covariates = np.column_stack([rng.standard_normal((80, 6)), rng.integers(0, 2, (80, 19))])
    for family in (*recipe.EXAMS["validation"], *recipe.EXAMS["test"]):
        first, second = family(covariates, np.arange(80) % 2, rng), family(covariates, np.arange(80) % 2, rng)
        assert np.isfinite(np.stack([*first, *second])).all()
        assert not np.allclose(first, second)


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_first_born_is_coded_like_the_other_binary_covariates(recipe: ModuleType, root: Path):
    assert set(np.load(root / "pools" / "covariates.npy")[:, 6:].ravel()) == {0.0, 1.0}


def test_a_missing_row_is_noticed(recipe: ModuleType, tmp_path: Path):
    write_units(tmp_path, made_up_units()[1:])
    with pytest.raises(SystemExit, match="expected 120 rows"):
        recipe.prepare(tmp_path)
