"""The paper track of causality: its manifest, and the recipe at its sizes on a small file of the genuine format."""

import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import find_task
from tests.programs import load_program

UNITS, TREATED, TRAINED = 120, 30, 80


@pytest.fixture(scope="module")
def paper() -> TaskFolder:
    return find_task("causality").on("paper")


@pytest.fixture
def recipe(paper: TaskFolder, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = load_program(paper.recipe / "recipe.py")
    monkeypatch.setattr(module, "UNITS", UNITS)
    monkeypatch.setattr(module, "SHARES", {"train": TRAINED, "validation": 20, "test": 20})
    return module


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    """Rows as in the genuine file: treatment, four outcomes, six continuous and nineteen binary covariates."""
    rng = np.random.default_rng(0)
    treatment = np.arange(UNITS) < TREATED
    binary = rng.integers(0, 2, (UNITS, 19))
    binary[:, 7] += 1
    raw = tmp_path / "raw" / "ihdp"
    raw.mkdir(parents=True)
    rows = np.column_stack([treatment, np.full((UNITS, 4), 99.0), rng.standard_normal((UNITS, 6)), binary])
    np.savetxt(raw / "ihdp.csv", rows, delimiter=",")
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, track_name: str) -> None:
    settings = find_task("causality").track(track_name).settings
    (root / "stage.json").write_text(json.dumps({"seed": 2**127 + 5, "settings": settings}))
    recipe.draw(root)


def test_the_track_has_the_papers_codebase_and_an_environment_with_tensorflow(paper: TaskFolder):
    assert (paper.task.codebase.name, paper.task.environment.name) == ("causalml", "tensorflow")
    assert paper.task.overlay == "paper/overlay"
    assert paper.experiment.folders[0] == paper.path / "paper" / "experiment"
    assert "causalml" in paper.instructions


def test_the_track_shares_data_metric_and_grader_with_the_cpu_track(paper: TaskFolder):
    cpu = find_task("causality").on("cpu")
    assert paper.task.metric == cpu.task.metric
    assert paper.task.data == cpu.task.data
    assert (paper.recipe, paper.grader) == (cpu.recipe, cpu.grader)
    assert paper.task.tracks["paper"].exam.answers == cpu.task.tracks["cpu"].exam.answers


def test_the_papers_schedule_is_cut_for_a_smoke_test_alone(paper: TaskFolder):
    smoke = find_task("causality").track("paper-smoke").settings
    assert {name: paper.track("paper").settings[name] for name in ("adam_epochs", "epochs")} == {
        "adam_epochs": 30,
        "epochs": 100,
    }
    assert {smoke["adam_epochs"], smoke["epochs"], smoke["realisations_per_family"]} == {1}


@pytest.mark.parametrize("name", ["reference", "method_off"])
def test_a_variant_changes_both_functions_that_the_driver_calls(paper: TaskFolder, name: str):
    files = paper.files_of(getattr(paper.task, name))
    assert set(files) == {"effects/training.py", "effects/inference.py"}
    assert "def train(covariates, treatment, outcomes, adam_epochs, epochs):" in files["effects/training.py"]
    assert "def predict(models, realisation, covariates):" in files["effects/inference.py"]


@pytest.mark.parametrize(("track_name", "realisations"), [("paper", 18), ("paper-smoke", 6)])
def test_training_sees_so_many_realisations_and_half_of_them_are_in_each_exam(
    recipe: ModuleType, root: Path, track_name: str, realisations: int
):
    draw(recipe, root, track_name)
    assert np.load(root / "out" / "train" / "covariates.npy").shape == (realisations, TRAINED, 25)
    asked = {exam: np.load(root / "out" / exam / "questions" / "realisation.npy") for exam in ("validation", "test")}
    assert [len(np.unique(numbers)) for numbers in asked.values()] == [realisations // 2, realisations // 2]
    assert not set(asked["validation"]) & set(asked["test"])


def test_effects_and_counterfactuals_are_in_labels_alone(recipe: ModuleType, root: Path):
    draw(recipe, root, "paper")
    out = root / "out"
    shown = {path.relative_to(out).as_posix() for path in out.rglob("*.npy") if "labels" not in path.parts}
    assert shown == {
        "train/covariates.npy",
        "train/treatment.npy",
        "train/outcomes.npy",
        *(f"{exam}/questions/{name}.npy" for exam in ("validation", "test") for name in ("realisation", "covariates")),
    }
