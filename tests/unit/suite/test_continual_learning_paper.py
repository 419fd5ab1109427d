"""The paper track of continual-learning: what it shares with the cpu track, and its recipe on files like MNIST's."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.folder import TaskFolder
from fmlbench.tasks.library import find_task
from tests.programs import load_program

Array = npt.NDArray[Any]

SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
WEIGHTS = 784 * 400 + 400 + 400 * 400 + 400 + 400 * 10 + 10
"""Two hidden layers of 400 units and ten classes, with biases."""
CONTEXTS = [f"context-{number}" for number in range(1, 6)]


@pytest.fixture
def paper() -> TaskFolder:
    return find_task("continual-learning").on("paper")


@pytest.fixture
def cpu() -> TaskFolder:
    return find_task("continual-learning").on("cpu")


def test_question_metric_data_recipe_and_grader_are_those_of_the_cpu_track(paper: TaskFolder, cpu: TaskFolder):
    assert (paper.task.question, paper.task.metric, paper.task.data) == (
        cpu.task.question,
        cpu.task.metric,
        cpu.task.data,
    )
    assert (paper.grader, paper.recipe) == (cpu.grader, cpu.recipe)
    assert paper.track("paper").exam.answers == cpu.track("cpu").exam.answers


def test_codebase_driver_and_instructions_are_its_own(paper: TaskFolder, cpu: TaskFolder):
    assert list(paper.task.tracks) == ["paper"]
    assert (cpu.task.codebase.name, paper.task.codebase.name) == ("avalanche-lib", "continual-learning")
    assert paper.experiment != cpu.experiment
    assert "van de Ven" in paper.instructions
    assert paper.task.exploits == ()


def test_every_context_is_a_stage_that_sees_its_own_data_only(paper: TaskFolder):
    stages = paper.track("paper").training
    assert [stage.name for stage in stages] == CONTEXTS
    assert all(stage.data == (stage.name,) for stage in stages)


def test_the_memory_is_what_the_baseline_must_carry_and_a_little_for_the_file(paper: TaskFolder):
    # Weights, importances and Adam's two running means, four bytes each.
    spare = paper.track("paper").carry_mb * 2**20 - 4 * 4 * WEIGHTS
    assert 0 < spare < 0.05 * 4 * 4 * WEIGHTS
    assert f"{WEIGHTS:,}" in paper.instructions


def idx(values: Array) -> bytes:
    """The format of MNIST's files: two zeros, 8 for bytes, the number of axes, their sizes, the values."""
    return bytes([0, 0, 8, values.ndim]) + np.array(values.shape, ">u4").tobytes() + values.astype(np.uint8).tobytes()


@pytest.fixture
def drawn(paper: TaskFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Array]:
    """What the recipe makes of 12 images of every digit to train and validate on, and 6 to test on."""
    recipe = load_recipe(paper)
    monkeypatch.setattr(recipe, "HELD_OUT", 4)
    rng = np.random.default_rng(0)
    raw = tmp_path / "raw" / "mnist"
    raw.mkdir(parents=True)
    for file, per_digit in (("train", 12), ("t10k", 6)):
        labels = rng.permutation(np.repeat(np.arange(10), per_digit))
        (raw / f"{file}-images-idx3-ubyte").write_bytes(idx(rng.integers(0, 256, (len(labels), 28, 28))))
        (raw / f"{file}-labels-idx1-ubyte").write_bytes(idx(labels))
    recipe.prepare(tmp_path)
    settings = {**paper.track("paper").settings, "exam_per_class": 3}
    (tmp_path / "stage.json").write_text(json.dumps({"seed": SEED, "settings": settings}))
    recipe.draw(tmp_path)
    out = tmp_path / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def load_recipe(paper: TaskFolder) -> ModuleType:
    return load_program(paper.recipe / "recipe.py")


def test_a_context_gets_all_training_images_of_its_two_classes(drawn: dict[str, Array]):
    for number, context in enumerate(CONTEXTS):
        assert drawn[f"{context}/images"].shape == (2 * 8, 28, 28)
        assert np.bincount(drawn[f"{context}/labels"], minlength=10)[2 * number : 2 * number + 2].tolist() == [8, 8]


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_an_exam_asks_about_every_class_and_tells_nothing_but_images(drawn: dict[str, Array], exam: str):
    assert [name for name in drawn if name.startswith(f"{exam}/questions/")] == [f"{exam}/questions/images"]
    assert drawn[f"{exam}/questions/images"].shape == (30, 28, 28)
    assert np.bincount(drawn[f"{exam}/labels/labels"]).tolist() == [3] * 10
