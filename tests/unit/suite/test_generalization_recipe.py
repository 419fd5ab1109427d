"""The data recipe of generalization, on digits small in number, each recognisable by its inked pixels."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program
from tests.unit.suite.digits import write_digits

Array = npt.NDArray[Any]

SETTINGS = {"train_per_domain": 40, "exam_per_domain": 20, "label_noise": 0.2}
SEED = 2**127 + 5
"""Seeds come from a secret and are that long."""


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    program = find_task("generalization").recipe / "recipe.py"
    module = load_program(program)
    splits = {
        "train": ("train", slice(0, 100)),
        "validation": ("train", slice(100, 200)),
        "test": ("t10k", slice(0, 100)),
    }
    monkeypatch.setattr(module, "SPLITS", splits)
    return module


def write_mnist(root: Path, twice: bool = False) -> None:
    """Each digit is its number in binary, in pixels 0 to 8; its class is the last decimal."""
    raw = root / "raw" / "mnist"
    raw.mkdir(parents=True)
    for file, numbers in {"train": np.arange(200), "t10k": np.arange(200, 300)}.items():
        images = np.zeros((len(numbers), 28, 28), dtype=np.uint8)
        images[:, 0, :9] = 255 * ((numbers[:, None] >> np.arange(9)) & 1)
        images[:, 1:20] = 255
        if twice and file == "t10k":
            images[0, 0, :9] = 255 * ((7 >> np.arange(9)) & 1)
        write_digits(raw, file, images, numbers % 10)


@pytest.fixture
def root(tmp_path: Path, recipe: ModuleType) -> Path:
    write_mnist(tmp_path)
    recipe.prepare(tmp_path)
    return tmp_path


def draw(recipe: ModuleType, root: Path, seed: int = SEED) -> dict[str, Array]:
    (root / "stage.json").write_text(json.dumps({"seed": seed, "settings": SETTINGS}))
    recipe.draw(root)
    out = root / "out"
    return {path.relative_to(out).with_suffix("").as_posix(): np.load(path) for path in out.rglob("*.npy")}


def identities(images: Array) -> Array:
    """The second row is all ink, of one colour: where the first row has that colour, a bit is set."""
    bits = (images[:, :, 0, :9] == images[:, :, 1, :1]).all(axis=1).astype(int)
    return bits @ (1 << np.arange(9))


def test_no_digit_is_used_twice_and_none_by_two_splits(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    train = identities(drawn["train/images"])
    validation, test = (identities(drawn[f"{exam}/questions/images"]) for exam in ("validation", "test"))
    assert len(train) == len(set(train)) == 2 * 40
    assert len(validation) == len(set(validation)) == len(test) == len(set(test)) == 5 * 20
    assert max(train) < 100 <= min(validation) <= max(validation) < 200 <= min(test)


def test_questions_hold_nothing_but_pictures(recipe: ModuleType, root: Path):
    drawn = draw(recipe, root)
    assert {name for name in drawn if "questions" in name} == {"validation/questions/images", "test/questions/images"}
    assert drawn["test/questions/images"].shape == (100, 3, 28, 28)
    assert np.bincount(drawn["test/labels/domains"]).tolist() == [20] * 5


def test_a_seed_draws_the_same_again_and_another_seed_something_else(recipe: ModuleType, root: Path):
    first, again, other = (draw(recipe, root, seed) for seed in (SEED, SEED, SEED + 1))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert all(not np.array_equal(first[name], other[name]) for name in first)


def test_a_fifth_of_the_labels_is_wrong(recipe: ModuleType, root: Path):
    wrong: list[Array] = []
    for seed in range(20):
        drawn = draw(recipe, root, seed)
        wrong.append(identities(drawn["train/images"]) % 10 != drawn["train/labels"])
    # 1600 labels: a share of 0.2 has a standard error of 0.01.
    assert np.mean(wrong) == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize(("share", "turn"), [(0.9, 0), (0.6, 3), (0.1, 0)])
def test_cues_agree_with_the_turned_label_as_often_as_asked(recipe: ModuleType, share: float, turn: int):
    labels = np.arange(20_000) % 10
    cues = recipe.agree(labels, share, turn, np.random.default_rng(1))
    # Where a cue is turned, one in nine of the others hits the turned label by chance.
    expected = share + (1 - share) / 9 * (turn > 0)
    assert np.mean(cues == (labels + turn) % 10) == pytest.approx(expected, abs=0.02)


def test_validation_and_test_turn_cues_differently(recipe: ModuleType):
    exams = [recipe.unseen(exam, turns) for exam, turns in (("validation", (1, 2)), ("test", (3, 4)))]
    turns = [{domain.texture_turn for domain in exam} | {domain.colour_turn for domain in exam} for exam in exams]
    assert turns[0] & turns[1] == {0}
    assert [exam[-1].between for exam in exams] == [False, True]


def test_unrelated_cues_are_as_frequent_for_every_label(recipe: ModuleType):
    labels = np.zeros(20_000, dtype=int)
    shares = np.bincount(recipe.agree(labels, recipe.UNRELATED, 0, np.random.default_rng(2)), minlength=10) / 20_000
    assert np.abs(shares - 0.1).max() < 0.01


def test_ink_is_not_told_from_paper_by_being_colourful(recipe: ModuleType):
    digits = np.zeros((400, 28, 28), dtype=np.uint8)
    digits[:, :14] = 255
    cues = np.arange(400) % 10
    images = recipe.render(digits, cues, cues, False, np.random.default_rng(3)).astype(int)
    colourful = images.max(axis=1) - images.min(axis=1)
    ink, paper = colourful[:, 0, 0], colourful[:, 14:].max(axis=(1, 2))
    # On grey paper the share would be 0: how far the channels lie apart would show the digit and nothing else.
    assert np.mean(paper > ink) > 0.15


def test_digits_that_occur_twice_are_left_out(recipe: ModuleType, tmp_path: Path):
    write_mnist(tmp_path, twice=True)
    recipe.prepare(tmp_path)
    sizes = {
        split: len(np.load(tmp_path / "pools" / split / "labels.npy")) for split in ("train", "validation", "test")
    }
    assert sizes == {"train": 99, "validation": 100, "test": 99}


def test_a_pool_that_is_too_small_is_noticed(recipe: ModuleType, root: Path):
    (root / "stage.json").write_text(json.dumps({"seed": 1, "settings": {**SETTINGS, "exam_per_domain": 21}}))
    with pytest.raises(SystemExit, match="105 digits are wanted"):
        recipe.draw(root)
