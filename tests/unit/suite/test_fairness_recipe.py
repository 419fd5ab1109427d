"""The data recipe of fairness, on made-up people."""

import csv
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

SETTINGS = {"populations": 4, "train_rows": 400, "exam_rows": 20}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
SOURCES = ("compas", "adult", "stops", "credit")
WIDTH = 12
"""Features that a candidate sees: nine components and three proxies."""


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with loaded_recipe("fairness") as module:
        yield module


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pools").mkdir()
    for number, source in enumerate(SOURCES):
        rng = np.random.default_rng(number)
        attributes = rng.integers(2, size=(300, 3))
        people = rng.normal(size=(300, 14)) + attributes @ rng.normal(size=(3, 14))
        people = (people - people.mean(axis=0)) / people.std(axis=0)
        np.savez(
            tmp_path / "pools" / f"{source}.npz", people=people, attributes=attributes, outlook=rng.normal(size=14)
        )
    return tmp_path


def draw(recipe: ModuleType, root: Path, **facts: object) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": SEED, "settings": SETTINGS} | facts))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_shapes_and_values(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert drawn["train/features"].shape == (4, 400, WIDTH)
    assert set(np.unique(drawn["train/labels"])) == {0, 1}
    assert set(np.unique(drawn["train/groups"])) == set(range(-1, 8))
    for exam in ("validation", "test"):
        assert drawn[f"{exam}/questions/features"].shape == (2 * 8 * 20, WIDTH)
        groups, populations = drawn[f"{exam}/labels/groups"], drawn[f"{exam}/labels/populations"]
        _, counts = np.unique(populations * 8 + groups, return_counts=True)
        assert counts.tolist() == [20] * 16


def test_exams_ask_about_different_populations_and_equally_often_about_each_source(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root, settings=SETTINGS | {"populations": 8})
    asked = [set(np.unique(drawn[f"{exam}/questions/populations"]).tolist()) for exam in ("validation", "test")]
    assert asked == [{0, 1, 4, 5}, {2, 3, 6, 7}]
    drawn = draw(recipe, root, world="sibling")
    assert set(drawn["test/questions/populations"].tolist()) == {1, 3}


def test_questions_tell_neither_groups_nor_label_probabilities(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    questions = {name for name in drawn if name.startswith("test/questions")}
    assert questions == {"test/questions/features", "test/questions/populations"}


def test_a_seed_draws_the_same_again_and_another_seed_shares_no_row(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed=seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    rows = {row.tobytes() for row in first["test/questions/features"]}
    assert not rows & {row.tobytes() for row in other["test/questions/features"]}


def test_no_public_person_and_no_row_of_another_part_is_asked(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    parts = [
        {row.tobytes() for row in drawn[name].reshape(-1, WIDTH)}
        for name in ("train/features", "validation/questions/features", "test/questions/features")
    ]
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]
    public = np.load(root / "pools" / "adult.npz")["people"]
    nearest = np.abs(drawn["test/questions/features"][:, None, :] - public[None, :, :WIDTH]).max(axis=2).min(axis=1)
    assert nearest.min() > 1e-3


def test_features_are_decorrelated_by_the_sensor(recipe: ModuleType, root: Path):
    features = draw(recipe, root, settings=SETTINGS | {"train_rows": 4000})["train/features"][0]
    assert np.cov(features.T) == pytest.approx(np.eye(WIDTH), abs=0.15)


def test_worlds_share_no_source(recipe: ModuleType, root: Path):
    used = [source for sources in recipe.WORLDS.values() for source in sources]
    assert sorted(used) == sorted(SOURCES)
    for source in recipe.WORLDS["scored"]:
        (root / "pools" / f"{source}.npz").unlink()
    draw(recipe, root, world="lab")
    draw(recipe, root, world="sibling")


def test_a_starved_draw_keeps_two_percent_of_the_rows_and_all_groups(recipe: ModuleType, root: Path):
    settings = SETTINGS | {"train_rows": 1500}
    full = draw(recipe, root, settings=settings)
    starved = draw(recipe, root, settings=settings, train_share=0.02)
    assert starved["train/labels"].shape == (4, 30)
    assert all(set(groups) >= set(range(8)) for groups in starved["train/groups"])
    assert starved["test/questions/features"].shape == full["test/questions/features"].shape


def test_few_rows_tell_their_group_and_frequencies_are_dealt_anew(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root, settings=SETTINGS | {"train_rows": 4000})
    assert (drawn["train/groups"] >= 0).mean() == pytest.approx(0.12, abs=0.02)
    groups, populations, shares = (drawn[f"test/labels/{name}"] for name in ("groups", "populations", "shares"))
    dealt = np.array(
        [
            [shares[(populations == population) & (groups == group)][0] for group in range(8)]
            for population in np.unique(populations)
        ]
    )
    assert np.sort(dealt, axis=1) == pytest.approx(np.tile(np.sort(dealt[0]), (len(dealt), 1)))
    assert dealt.sum(axis=1) == pytest.approx(1.0)
    assert len(np.unique(dealt, axis=0)) > 1


def test_label_models_differ_between_populations(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root, settings=SETTINGS | {"train_rows": 3000})
    slopes: list[npt.NDArray[np.float64]] = []
    for population in range(len(drawn["train/labels"])):
        features = np.asarray(drawn["train/features"][population], dtype=np.float64)
        labels = np.asarray(drawn["train/labels"][population], dtype=np.float64)
        slopes.append(np.linalg.pinv(features) @ (labels - labels.mean()))
    cosines = [
        float(abs(one @ other) / np.linalg.norm(one) / np.linalg.norm(other))
        for index, one in enumerate(slopes)
        for other in slopes[:index]
    ]
    assert max(cosines) < 0.95


def test_propublicas_filters_leave_rows_out(recipe: ModuleType):
    kept = {
        "race": "Caucasian",
        "days_b_screening_arrest": "-1",
        "is_recid": "0",
        "c_charge_degree": "F",
        "score_text": "Low",
    }
    left_out = (
        {"days_b_screening_arrest": "31"},
        {"days_b_screening_arrest": ""},
        {"is_recid": "-1"},
        {"c_charge_degree": "O"},
        {"score_text": "N/A"},
        {"race": "Hispanic"},
    )
    lines = [kept | changes for changes in ({}, *left_out)]
    assert [recipe.is_compas_row(line) for line in lines] == [True, *[False] * len(left_out)]


def test_of_columns_that_occur_twice_the_first_one_counts(recipe: ModuleType, tmp_path: Path):
    with (tmp_path / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("age", "score", "age"), (30, 5, 99)])
    assert recipe.read_lines(tmp_path / "table.csv") == [{"age": "30", "score": "5"}]


def test_the_outlook_points_where_the_label_grows(recipe: ModuleType):
    rng = np.random.default_rng(0)
    people = rng.normal(size=(2000, 3))
    outlook = recipe.fit_outlook(people, (people[:, 0] - 2 * people[:, 1] > 0).astype(float))
    assert outlook[1] < 0 < outlook[0] < -outlook[1]
    assert abs(outlook[2]) < 0.2 * outlook[0]
