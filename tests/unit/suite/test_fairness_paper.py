"""The paper track of fairness: its manifest, and its recipe on made-up people in the genuine formats."""

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

SETTINGS = {"models": 3, "compas_rows": 40, "adult_rows": 50, "exam_rows": 1000}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""

COMPAS_NAMES = (
    *("id", "sex", "age", "age_cat", "race", "decile_score", "priors_count", "days_b_screening_arrest"),
    *("c_charge_degree", "is_recid", "score_text", "decile_score", "priors_count", "two_year_recid"),
)


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    program = find_task("fairness").on("paper").recipe / "recipe.py"
    return load_program(program)


def a_defendant(number: int, **changes: object) -> dict[str, object]:
    """Sex and label depend on the number alone."""
    person: dict[str, object] = dict.fromkeys(COMPAS_NAMES, 0)
    person |= {
        "id": number,
        "sex": "Female" if number % 2 else "Male",
        "age": 20 + number % 50,
        "age_cat": ("25 - 45", "Greater than 45", "Less than 25")[number % 3],
        "race": "Caucasian" if number % 5 else "African-American",
        "decile_score": 1 + number % 10,
        "priors_count": number % 7,
        "days_b_screening_arrest": "-1",
        "c_charge_degree": "F" if number % 3 else "M",
        "score_text": "Low",
        "two_year_recid": number // 2 % 2,
    }
    return person | changes


def a_census_line(number: int) -> list[object]:
    """A line as it stands in the file, with a gap in a column that is not used."""
    return [
        *(17 + number % 74, "?", 1000 + number, "HS-grad", 1 + number % 16, "Divorced", "Sales", "Not-in-family"),
        *("White" if number % 5 else "Black", "Male" if number % 2 else "Female", 0, 0, 40, "United-States"),
        ">50K" if number // 2 % 2 else "<=50K",
    ]


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    for name in ("raw/compas", "raw/adult", "pools"):
        (tmp_path / name).mkdir(parents=True)
    people = [a_defendant(number) for number in range(240)]
    with (tmp_path / "raw" / "compas" / "compas-scores-two-years.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COMPAS_NAMES, *([person[name] for name in COMPAS_NAMES] for person in people)])
    text = [", ".join(str(part) for part in a_census_line(number)) for number in range(300)]
    (tmp_path / "raw" / "adult" / "adult.data").write_text("\n".join([*text[:200], "", ""]), "utf-8")
    test = ["|1x3 Cross validator", *(f"{line}." for line in text[200:]), ""]
    (tmp_path / "raw" / "adult" / "adult.test").write_text("\n".join(test), "utf-8")
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_the_track_has_a_codebase_of_its_own_and_the_tasks_question_grader_and_rules():
    task = find_task("fairness")
    cpu, paper = task.on("cpu"), task.on("paper")
    assert paper.task.codebase.name == "aif360"
    assert paper.task.environment.name == "tensorflow"
    assert paper.experiment.folders[0] == task.path / "paper" / "experiment"
    assert paper.grader == cpu.grader
    assert (paper.task.question, paper.task.metric, paper.task.rules) == (
        cpu.task.question,
        cpu.task.metric,
        cpu.task.rules,
    )
    assert paper.track("paper").exam.answers == cpu.track("cpu").exam.answers
    assert paper.instructions != cpu.instructions


def test_its_variants_change_editable_files_or_add_such():
    paper = find_task("fairness").on("paper")
    for variant in (paper.task.reference, paper.task.method_off):
        assert all(path.startswith("odds/") for path in paper.files_of(variant))


def test_trying_it_out_is_shorter_and_asks_for_as_many_models():
    task = find_task("fairness")
    whole, tried = (task.on(name).track(name) for name in ("paper", "paper-smoke"))
    assert tried.settings["epochs"] == 2
    assert tried.settings["models"] == whole.settings["models"] == whole.exam.answers.shape[0]


def test_defendants_become_the_numbers_of_aif360s_columns(recipe: ModuleType, root: Path):
    rows, labels, _ = recipe.read_compas(root / "raw" / "compas")
    # Number 107: odd, so female; Caucasian; 107 % 3 == 2, younger than 25; 107 % 7 == 2 prior offences; a felony.
    assert rows[107].tolist() == [1, 1, 2, 1, 0]
    # Number 60: male, African-American; 60 % 3 == 0, 25 to 45; 60 % 7 == 4 prior offences; a misdemeanour.
    assert rows[60].tolist() == [0, 0, 0, 2, 1]
    assert labels[[107, 60]].tolist() == [1, 0]


def test_people_of_the_census_become_the_numbers_of_aif360s_columns(recipe: ModuleType, root: Path):
    rows, labels, _ = recipe.read_adult(root / "raw" / "adult")
    # Number 207, of the second file: male, white; 17 + 59 years, so 70 or more; 1 + 15 years of education, above 12.
    assert rows[207].tolist() == [1, 1, 6, 8, 0]
    # Number 150: female, not white; 17 + 2 years, the decade of 10; 1 + 6 years of education.
    assert rows[150].tolist() == [0, 0, 0, 1, 0]
    # Number 82: female, white; 17 + 8 years, the decade of 20; 1 + 2 years of education, below 6.
    assert rows[82].tolist() == [0, 1, 1, 7, 0]
    assert labels[[207, 150, 82]].tolist() == [1, 1, 1]
    assert len(rows) == 300


def test_half_of_every_cell_trains_and_each_exam_gets_a_quarter(recipe: ModuleType, root: Path):
    for source in ("compas", "adult"):
        pools = np.load(root / "pools" / f"{source}.npz")
        for group in (0, 1):
            for label in (0, 1):
                cell = (pools["rows"][:, 0] == group) & (pools["labels"] == label)
                sizes = np.array([int((cell & (pools["pool"] == pool)).sum()) for pool in range(3)])
                assert np.abs(sizes - cell.sum() * np.array([0.5, 0.25, 0.25])).max() <= 1


def test_exams_ask_all_rows_of_their_pools_without_labels(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for number, exam in enumerate(("validation", "test"), start=1):
        assert {name for name in drawn if name.startswith(f"{exam}/questions")} == {
            f"{exam}/questions/rows",
            f"{exam}/questions/sources",
        }
        assert np.array_equal(drawn[f"{exam}/labels/groups"], drawn[f"{exam}/questions/rows"][:, 0])
        assert np.array_equal(drawn[f"{exam}/labels/sources"], drawn[f"{exam}/questions/sources"])
        for place, source in enumerate(("compas", "adult")):
            pools = np.load(root / "pools" / f"{source}.npz")
            asked = drawn[f"{exam}/questions/sources"] == place
            answers = np.column_stack([drawn[f"{exam}/questions/rows"], drawn[f"{exam}/labels/labels"]])[asked]
            pool = np.column_stack([pools["rows"], pools["labels"]])[pools["pool"] == number]
            assert sorted(answers.tolist()) == sorted(pool.tolist())


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert first["train/compas_rows"].shape == (3, 40, 5)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_propublicas_filters_and_aif360s_leave_rows_out(recipe: ModuleType):
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
