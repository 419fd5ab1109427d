"""The data recipe of fairness, on made-up people in the genuine formats, each known again by two numbers."""

import csv
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

SETTINGS = {"models": 3, "compas_rows": 20, "adult_rows": 30, "exam_rows": 1000}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""

COMPAS_NAMES = (
    *("id", "sex", "age", "race", "juv_fel_count", "decile_score", "juv_misd_count", "juv_other_count"),
    *("priors_count", "days_b_screening_arrest", "c_charge_degree", "is_recid", "score_text", "decile_score"),
    *("priors_count", "two_year_recid"),
)


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    program = find_task("fairness").recipe / "recipe.py"
    return load_program(program)


def a_defendant(number: int, **changes: object) -> dict[str, object]:
    """Known again by age and prior offences; group, label and score depend on the number alone."""
    person: dict[str, object] = dict.fromkeys(COMPAS_NAMES, 0)
    person |= {
        "id": number,
        "sex": "Male" if number % 3 else "Female",
        "age": 20 + number % 50,
        "priors_count": number // 50,
        "race": "African-American" if number % 2 else "Caucasian",
        "decile_score": 1 + number % 10,
        "days_b_screening_arrest": "-1",
        "c_charge_degree": "F" if number % 5 else "M",
        "score_text": "Low",
        "two_year_recid": number // 2 % 2,
    }
    return person | changes


def a_census_line(number: int) -> list[object]:
    """Known again by age and hours."""
    return [
        *(20 + number % 50, "Private", 1000 + number, "HS-grad", 9, "Divorced", "Sales", "Not-in-family", "White"),
        *("Male" if number % 2 else "Female", 5178, 0, 1 + number // 50, "United-States"),
        ">50K" if number // 2 % 2 else "<=50K",
    ]


def write_raw(root: Path, defendants: list[dict[str, object]], lines: list[list[object]]) -> None:
    for name in ("raw/compas", "raw/adult", "pools"):
        (root / name).mkdir(parents=True)
    with (root / "raw" / "compas" / "compas-scores-two-years.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COMPAS_NAMES, *([person[name] for name in COMPAS_NAMES] for person in defendants)])
    half = len(lines) // 2
    text = [", ".join(str(part) for part in line) for line in lines]
    (root / "raw" / "adult" / "adult.data").write_text("\n".join([*text[:half], "", ""]), "utf-8")
    test = ["|1x3 Cross validator", *(f"{line}." for line in text[half:]), ""]
    (root / "raw" / "adult" / "adult.test").write_text("\n".join(test), "utf-8")


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_raw(
        tmp_path, [a_defendant(number) for number in range(240)], [a_census_line(number) for number in range(300)]
    )
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def compas_people(rows: Array) -> set[int]:
    return set((rows[..., 2].astype(int) * 50 + rows[..., 1] - 20).ravel().tolist())


def adult_people(rows: Array) -> set[int]:
    return set(((rows[..., 3].astype(int) - 1) * 50 + rows[..., 1] - 20).ravel().tolist())


def test_nobody_is_in_two_pools_and_everybody_is_in_one(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for number, (source, people, total) in enumerate((("compas", compas_people, 240), ("adult", adult_people, 300))):
        trained = people(drawn[f"train/{source}_rows"])
        asked = [
            people(drawn[f"{exam}/questions/rows"][drawn[f"{exam}/questions/sources"] == number])
            for exam in ("validation", "test")
        ]
        pools = np.load(root / "pools" / f"{source}.npz")
        pool = people(pools["rows"][pools["pool"] == 0])
        assert trained <= pool
        assert not pool & asked[0]
        assert not pool & asked[1]
        assert not asked[0] & asked[1]
        assert len(pool | asked[0] | asked[1]) == total


def test_pools_are_alike_in_groups_and_labels(root: Path):
    for source in ("compas", "adult"):
        pools = np.load(root / "pools" / f"{source}.npz")
        for group in (0, 1):
            for label in (0, 1):
                cell = (pools["rows"][:, 0] == group) & (pools["labels"] == label)
                sizes = [int((cell & (pools["pool"] == pool)).sum()) for pool in range(3)]
                assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_labels_groups_and_sources_belong_to_the_rows_that_are_asked(recipe: ModuleType, root: Path, exam: str):
    drawn = draw(recipe, root)
    rows, sources = drawn[f"{exam}/questions/rows"], drawn[f"{exam}/labels/sources"]
    assert np.array_equal(sources, drawn[f"{exam}/questions/sources"])
    assert np.array_equal(drawn[f"{exam}/labels/groups"], rows[:, 0])
    for row, source, label in zip(rows, sources, drawn[f"{exam}/labels/labels"], strict=True):
        (number,) = compas_people(row) if source == 0 else adult_people(row)
        assert (row[0], label) == (number % 2, number // 2 % 2)


def test_questions_hold_no_labels(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert {name for name in drawn if name.startswith("test/questions")} == {
        "test/questions/rows",
        "test/questions/sources",
    }
    rows, labels = drawn["test/questions/rows"], drawn["test/labels/labels"]
    assert not any(np.array_equal(rows[:, column], labels) for column in range(rows.shape[1]))


def test_every_model_is_trained_on_rows_of_its_own_and_on_none_twice(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    rows = drawn["train/compas_rows"]
    assert rows.shape == (3, 20, 10)
    assert [len(compas_people(one)) for one in rows] == [20, 20, 20]
    assert compas_people(rows[0]) != compas_people(rows[1])
    numbers = rows[..., 2].astype(int) * 50 + rows[..., 1] - 20
    assert np.array_equal(drawn["train/compas_labels"], numbers // 2 % 2)


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_propublicas_filters_leave_rows_out(recipe: ModuleType):
    left_out = (
        {"days_b_screening_arrest": "31"},
        {"days_b_screening_arrest": ""},
        {"is_recid": "-1"},
        {"c_charge_degree": "O"},
        {"score_text": "N/A"},
        {"race": "Hispanic"},
    )
    texts = [{name: str(value) for name, value in a_defendant(1, **changes).items()} for changes in ({}, *left_out)]
    assert [recipe.is_compas_row(person) for person in texts] == [True, *[False] * len(left_out)]


def test_people_become_rows_of_whole_numbers(recipe: ModuleType, root: Path):
    rows, labels, _ = recipe.read_compas(root / "raw" / "compas")
    # Number 107: odd, so group 1; age 27, two prior offences, a felony, male; 53 is odd, so label 1.
    assert rows[107].tolist() == [1, 27, 2, 0, 0, 0, 1, 1, 0, 0]
    assert labels[107] == 1
    rows, labels, _ = recipe.read_adult(root / "raw" / "adult")
    # Number 207 stands in the second file: male, 27, 9 years, 5 hours, 51 hundreds of dollars, then four categories.
    assert rows[207].tolist() == [1, 27, 9, 5, 51, 0, 2, 0, 11, 4]
    assert labels[207] == 1


def test_incomplete_census_rows_are_left_out(recipe: ModuleType, tmp_path: Path):
    lines = [a_census_line(number) for number in range(20)]
    lines[3][1] = "?"
    write_raw(tmp_path, [a_defendant(1)], lines)
    assert len(recipe.read_adult(tmp_path / "raw" / "adult")[0]) == 19


def test_too_small_a_pool_is_noticed(recipe: ModuleType):
    with pytest.raises(SystemExit, match="the pool has 2"):
        recipe.draw_visible(np.array([0, 1, 0, 2]), 1, 3, np.random.default_rng(0))
