"""The paper track of representation-learning: what it shares with the cpu track, and its sizes."""

import pytest

from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import find_task


@pytest.fixture
def paper() -> TaskFolder:
    return find_task("representation-learning").on("paper")


@pytest.fixture
def cpu() -> TaskFolder:
    return find_task("representation-learning").on("cpu")


def test_codebase_data_recipe_and_grader_are_those_of_the_cpu_track(paper: TaskFolder, cpu: TaskFolder):
    assert (paper.task.codebase, paper.task.data) == (cpu.task.codebase, cpu.task.data)
    assert (paper.grader, paper.recipe) == (cpu.grader, cpu.recipe)


def test_driver_and_instructions_are_its_own(paper: TaskFolder, cpu: TaskFolder):
    assert paper.experiment != cpu.experiment
    assert "ResNet-18" in paper.instructions


def test_schedule_and_sizes_are_the_papers(paper: TaskFolder):
    track = paper.track("paper")
    assert (track.settings["epochs"], track.settings["side"]) == (100, 32)
    assert track.exam.answers.max_size == 512
    training = (paper.path / paper.task.overlay / "represent" / "training.py").read_text("utf-8")
    assert "BATCH_SIZE = 512" in training
    assert "MEMORY_BANK = 4096" in training


@pytest.mark.parametrize("track", ["cpu", "paper"])
def test_no_feature_may_depend_on_the_company_alone(track: str):
    answers = find_task("representation-learning").on(track).track(track).exam.answers
    assert answers.disagreement < 1 / answers.max_size
