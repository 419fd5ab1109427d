"""The paper track of data-efficiency: its manifest, and its recipe on small files in easyfsl's format."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from pyarrow import parquet

from fmlbench.tasks.library import find_task
from tests.programs import load_program

Array = npt.NDArray[Any]

PER_CLASS = 8
WIDTH = 3
SETTINGS = {"way": 5, "shot": 1, "queries": 4, "episodes": 30}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""
FILE = "feat_resnet12_mini_imagenet.parquet.gzip"
CLASSES = {"train": 64, "val": 16, "test": 20}


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    program = find_task("data-efficiency").on("paper").recipe / "recipe.py"
    return load_program(program)


def write_features(folder: Path, embeddings: list[list[float]], names: list[Any]) -> None:
    """A file as pandas writes the table of `scripts/predict_embeddings.py`: lists of floats, names, gzip inside."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"embedding": pa.array(embeddings, pa.list_(pa.float32())), "class_name": pa.array(names)}
    parquet.write_table(pa.table(columns), folder / FILE, compression="gzip")


def write_split(raw: Path, split: str, classes: int) -> None:
    """The features of image i of class c are c, i and 0.5; images of all classes lie mixed."""
    images = [(c, i) for i in range(PER_CLASS) for c in range(classes)]
    write_features(raw / split, [[float(c), float(i), 0.5] for c, i in images], [c for c, _ in images])


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    for split, classes in CLASSES.items():
        write_split(tmp_path / "raw" / "mini-imagenet-features", split, classes)
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED, **changes: int) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS | changes}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def test_the_track_has_the_papers_codebase_and_data_and_the_tasks_question_and_grader():
    task = find_task("data-efficiency")
    cpu, paper = task.on("cpu"), task.on("paper")
    assert paper.task.codebase.version == "8023ff49a02a68830c10a21b8eb908cb33bdf1b9"
    assert [item.name for item in paper.task.data] == ["mini-imagenet-features"]
    assert paper.experiment.folders[0] == task.path / "paper" / "experiment"
    assert paper.grader == cpu.grader
    assert (paper.task.question, paper.task.metric) == (cpu.task.question, cpu.task.metric)
    assert paper.instructions != cpu.instructions


def test_every_query_of_an_episode_gets_an_answer_and_trying_it_out_is_shorter():
    task = find_task("data-efficiency")
    whole, tried = (task.on(name).track(name) for name in ("paper", "paper-smoke"))
    assert whole.exam.answers.shape == (int(whole.settings["way"]) * int(whole.settings["queries"]),)
    assert (whole.settings["episodes"], tried.settings["episodes"]) == (1000, 20)


def test_its_variants_change_editable_files_or_add_such():
    paper = find_task("data-efficiency").on("paper")
    for variant in (paper.task.reference, paper.task.method_off):
        assert all(path.startswith("fewshot/") for path in paper.files_of(variant))


def test_features_are_read_as_they_stand_in_the_file(recipe: ModuleType, tmp_path: Path):
    write_features(tmp_path, [[1.5, -2.0], [0.25, 3.0], [4.0, 5.0]], ["n01930112", "n01532829", "n01930112"])
    features, labels = recipe.read_features(tmp_path / FILE)
    assert features.dtype == np.float32
    assert features.tolist() == [[1.5, -2.0], [0.25, 3.0], [4.0, 5.0]]
    assert labels.tolist() == [0, 1, 0]


def test_training_sees_every_image_of_the_training_classes(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    features, labels = drawn["train/features"], drawn["train/labels"]
    assert features.shape == (64 * PER_CLASS, WIDTH)
    assert np.array_equal(features[:, 0], labels)
    assert len(np.unique(features, axis=0)) == 64 * PER_CLASS


def test_episodes_have_five_classes_and_no_image_twice(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam, classes in (("validation", 16), ("test", 20)):
        support, query = (drawn[f"{exam}/questions/{part}_features"] for part in ("support", "query"))
        assert (support.shape, query.shape) == ((30, 5, WIDTH), (30, 20, WIDTH))
        for episode in range(30):
            images = np.concatenate([support[episode], query[episode]])
            assert len(np.unique(images, axis=0)) == 25
            assert len(np.unique(support[episode, :, 0])) == 5
        assert set(np.unique(support[:, :, 0])) == set(range(classes))


def test_labels_fit_the_support_set_and_are_not_among_the_questions(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    for exam in ("validation", "test"):
        questions = {name.rsplit("/", 1)[1] for name in drawn if name.startswith(f"{exam}/questions")}
        assert questions == {"support_features", "support_labels", "query_features"}
        for episode in range(30):
            named = dict(
                zip(
                    drawn[f"{exam}/questions/support_features"][episode, :, 0],
                    drawn[f"{exam}/questions/support_labels"][episode],
                    strict=True,
                )
            )
            queries = drawn[f"{exam}/questions/query_features"][episode, :, 0]
            assert drawn[f"{exam}/labels/query_labels"][episode].tolist() == [named[c] for c in queries]


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_a_file_of_another_split_is_refused(recipe: ModuleType, tmp_path: Path):
    for split in CLASSES:
        write_split(tmp_path / "raw" / "mini-imagenet-features", split, 20)
    with pytest.raises(SystemExit, match="'train' has 64 classes, the file has 20"):
        recipe.prepare(tmp_path)


def test_a_missing_file_and_broken_features_are_refused(recipe: ModuleType, tmp_path: Path):
    with pytest.raises(SystemExit, match="'val', found 0"):
        recipe.the_file_in(tmp_path / "val")
    write_features(tmp_path, [[float("nan")]], [0])
    with pytest.raises(SystemExit, match="not finite"):
        recipe.read_features(tmp_path / FILE)


def test_classes_with_too_few_images_are_refused(recipe: ModuleType, root: Path):
    with pytest.raises(SystemExit, match="takes 9 images"):
        draw(recipe, root, queries=8)
