"""The paper track of generalization: what it shares with the cpu track, and its data from files in MNIST's format."""

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


@pytest.fixture
def paper() -> TaskFolder:
    return find_task("generalization").on("paper")


def test_question_metric_and_grader_are_those_of_the_cpu_track(paper: TaskFolder):
    cpu = find_task("generalization").on("cpu")
    assert (paper.task.question, paper.task.metric, paper.task.data) == (
        cpu.task.question,
        cpu.task.metric,
        cpu.task.data,
    )
    assert (paper.grader, paper.recipe) == (cpu.grader, cpu.recipe)
    assert paper.track("paper").exam.answers == cpu.track("cpu").exam.answers


def test_codebase_driver_and_instructions_are_its_own(paper: TaskFolder):
    cpu = find_task("generalization").on("cpu")
    assert list(paper.task.tracks) == ["paper"]
    assert (cpu.task.codebase.name, paper.task.codebase.name) == ("spuco", "domainbed")
    assert paper.experiment != cpu.experiment
    assert "DomainBed" in paper.instructions
    assert paper.task.exploits == ()


def test_schedule_and_sizes_are_the_papers(paper: TaskFolder):
    # 70,000 digits in three domains, of which the paper's holdout leaves 70 %: 23,334 - 7,000.
    settings = paper.track("paper").settings
    assert (settings["steps"], settings["train_per_domain"]) == (5001, 23_334 - 7_000)


@pytest.fixture
def recipe(paper: TaskFolder) -> ModuleType:
    return load_program(paper.recipe / "recipe.py")


def test_mnist_has_enough_digits_for_the_papers_sizes(paper: TaskFolder, recipe: ModuleType):
    settings = paper.track("paper").settings
    wanted = {
        "train": 2 * int(settings["train_per_domain"]),
        "validation": 5 * int(settings["exam_per_domain"]),
        "test": 5 * int(settings["exam_per_domain"]),
    }
    assert all(wanted[split] <= part.stop - part.start for split, (_, part) in recipe.SPLITS.items())


def idx(values: Array) -> bytes:
    """The format of MNIST's files: two zeros, 8 for bytes, the number of axes, their sizes, the values."""
    return bytes([0, 0, 8, values.ndim]) + np.array(values.shape, ">u4").tobytes() + values.astype(np.uint8).tobytes()


@pytest.fixture
def drawn(recipe: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Array]:
    splits = {"train": ("train", slice(0, 30)), "validation": ("train", slice(30, 80)), "test": ("t10k", slice(0, 50))}
    monkeypatch.setattr(recipe, "SPLITS", splits)
    rng = np.random.default_rng(0)
    raw = tmp_path / "raw" / "mnist"
    raw.mkdir(parents=True)
    for file, count in (("train", 80), ("t10k", 50)):
        (raw / f"{file}-images-idx3-ubyte").write_bytes(idx(rng.integers(0, 256, (count, 28, 28))))
        (raw / f"{file}-labels-idx1-ubyte").write_bytes(idx(rng.integers(0, 10, count)))
    recipe.prepare(tmp_path)
    settings = {"train_per_domain": 12, "exam_per_domain": 8, "label_noise": 0.2}
    (tmp_path / "stage.json").write_text(json.dumps({"seed": SEED, "settings": settings}))
    recipe.draw(tmp_path)
    out = tmp_path / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_training_gets_pictures_of_the_shape_that_domainbeds_network_is_for(drawn: dict[str, Array]):
    assert drawn["train/images"].shape == (24, 3, 28, 28)
    assert drawn["train/images"].dtype == np.uint8
    assert np.bincount(drawn["train/domains"]).tolist() == [12, 12]


@pytest.mark.parametrize("exam", ["validation", "test"])
def test_an_exam_asks_about_five_domains_and_tells_nothing_but_pictures(drawn: dict[str, Array], exam: str):
    assert [name for name in drawn if name.startswith(f"{exam}/questions/")] == [f"{exam}/questions/images"]
    assert drawn[f"{exam}/questions/images"].shape == (40, 3, 28, 28)
    assert np.bincount(drawn[f"{exam}/labels/domains"]).tolist() == [8] * 5
    assert drawn[f"{exam}/labels/labels"].max() < 10
