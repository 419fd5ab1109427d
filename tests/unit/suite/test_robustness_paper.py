"""The paper track of robustness: what it shares with the cpu track, and its sizes."""

import pytest

from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import find_task

TRIGGERS = 20


@pytest.fixture
def paper() -> TaskFolder:
    return find_task("robustness").on("paper")


@pytest.fixture
def cpu() -> TaskFolder:
    return find_task("robustness").on("cpu")


def test_codebase_data_recipe_and_grader_are_those_of_the_cpu_track(paper: TaskFolder, cpu: TaskFolder):
    assert (paper.task.codebase, paper.task.data) == (cpu.task.codebase, cpu.task.data)
    assert (paper.grader, paper.recipe) == (cpu.grader, cpu.recipe)


def test_driver_and_instructions_are_its_own(paper: TaskFolder, cpu: TaskFolder):
    assert paper.experiment != cpu.experiment
    assert "7,500 pictures" in paper.instructions


def test_a_third_of_7500_training_pictures_is_poisoned_as_in_the_paper(paper: TaskFolder):
    settings = paper.track("paper").settings
    clean, each = settings["train_clean"], settings["train_poisoned"]
    assert isinstance(clean, int)
    assert isinstance(each, int)
    assert (clean, TRIGGERS * each) == (5000, 2500)


def test_method_and_schedule_are_the_papers(paper: TaskFolder):
    training = (paper.path / paper.task.overlay / "robust" / "training.py").read_text("utf-8")
    assert paper.track("paper").settings["epochs"] == 5
    for line in ("BATCH_SIZE = 128", "PICTURES_MIXED = 2", 'NOISE = "laplacian"', "NOISE_SCALE = 0.3"):
        assert line in training


def test_an_exam_fits_into_the_10000_digits_of_its_pool(paper: TaskFolder):
    settings = paper.track("paper").settings
    clean, each = settings["exam_clean"], settings["exam_triggered"]
    assert isinstance(clean, int)
    assert isinstance(each, int)
    assert clean + TRIGGERS // 2 * each < 10_000
