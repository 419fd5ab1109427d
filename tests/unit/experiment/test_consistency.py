import numpy as np
import pytest

from fmlbench.core.task import AnswerFormat, AnswerKind
from fmlbench.experiment.consistency import find_batch_dependence, resample_batch, share_that_differs

LABELS = AnswerFormat(kind=AnswerKind.INDEPENDENT, dtype="int64", disagreement=0.1)
SCORES = AnswerFormat(kind=AnswerKind.INDEPENDENT, dtype="float32", tolerance=0.01)


def test_labels_differ_unless_they_are_equal():
    assert share_that_differs(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 0]), LABELS) == pytest.approx(0.25)


def test_numbers_within_a_share_of_their_spread_count_as_equal():
    first = np.array([0.0, 10.0, 0.0, 10.0], np.float32)  # each lies 5 from the middle, so 0.05 is tolerated
    again = first + np.array([0.04, 0.04, 0.06, 0.0], np.float32)
    assert share_that_differs(first, again, SCORES) == pytest.approx(0.25)


def test_small_disagreement_is_tolerated_and_more_is_reported():
    first = np.zeros(10, np.int64)
    again = first.copy()
    again[0] = 1
    assert find_batch_dependence(first, again, LABELS) == ""
    again[1] = 1
    assert "20.0%" in find_batch_dependence(first, again, LABELS)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_answers_of_another_shape_are_inconsistent(width: int):
    first, again = np.zeros((5, 3), np.float32), np.zeros((5, width), np.float32)
    assert f"had shape ({width},)" in find_batch_dependence(first, again, SCORES)


def test_extreme_answers_do_not_hide_a_dependence():
    first = np.linspace(0, 1, 101, dtype=np.float32)
    first[:10] = 1e6
    again = first + np.float32(0.1)
    assert share_that_differs(first, again, SCORES) == 1


def test_an_extreme_column_does_not_hide_a_dependence_in_another():
    first = np.stack([np.linspace(0, 1, 11), np.linspace(0, 1e6, 11)], axis=1).astype(np.float32)
    again = first + np.array([0.1, 0.1], np.float32)
    assert share_that_differs(first, again, SCORES) == pytest.approx(0.5)


def test_features_that_are_mostly_zero_may_be_rounded_differently():
    first = np.zeros((100, 1), np.float32)
    first[:20, 0] = np.linspace(1, 2, 20)
    again = first * np.float32(1.0001)
    assert share_that_differs(first, again, SCORES) == 0


def test_constant_answers_match_only_themselves():
    first = np.full(8, 3.0, np.float32)
    assert share_that_differs(first, first, SCORES) == 0
    assert share_that_differs(first, first + np.float32(0.01), SCORES) == 1


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5, 1e6])
def test_an_offset_does_not_hide_a_dependence(offset: float):
    rng = np.random.default_rng(0)
    first, again = ((offset + 0.25 * rng.standard_normal((200, 4))).astype(np.float32) for _ in range(2))
    assert "of the answers changed" in find_batch_dependence(first, again, SCORES)


def test_rounding_of_features_with_a_large_mean_is_tolerated():
    rng = np.random.default_rng(0)
    first = (1e3 + rng.standard_normal((200, 4))).astype(np.float32)
    again = np.nextafter(first, np.float32(np.inf))
    assert find_batch_dependence(first, again, SCORES) == ""


def test_the_repeated_batch_has_other_statistics_than_the_exam():
    inputs = np.random.default_rng(0).standard_normal((4000, 6)).astype(np.float32)
    chosen = resample_batch({"inputs": inputs}, 0.2, np.random.default_rng(1))
    # A random fifth would have a mean of length 0.07 or so; the ends of a Gaussian direction lie 1.4 apart from it.
    assert np.linalg.norm(inputs[chosen].mean(axis=0)) > 0.7


def test_a_batch_has_no_duplicates_and_can_contain_any_question():
    inputs = np.arange(100.0)[:, None]
    asked = [resample_batch({"inputs": inputs}, 0.2, np.random.default_rng(seed)) for seed in range(200)]
    assert all(len(set(chosen)) == len(chosen) == 20 for chosen in asked)
    assert {int(number) for chosen in asked for number in chosen} == set(range(100))


def test_another_seed_chooses_another_direction():
    inputs = np.random.default_rng(0).standard_normal((500, 6))
    one, other = (resample_batch({"inputs": inputs}, 0.2, np.random.default_rng(seed)) for seed in (1, 2))
    assert set(one) != set(other)


@pytest.mark.parametrize(
    "questions",
    [
        {"only": np.zeros((1, 3))},
        {"constant": np.zeros((50, 2, 2))},
        {"odd": np.array([[np.nan, np.inf], [-np.inf, 1.0]] * 10)},
        {"words": np.array(["a", "b"] * 10)},
        {"one": np.arange(20), "two": np.zeros((20, 4), np.uint8)},
    ],
)
def test_any_array_type_works(questions: dict[str, np.ndarray]):
    rows = len(next(iter(questions.values())))
    chosen = resample_batch(questions, 0.2, np.random.default_rng(0))
    assert len(chosen) == max(1, round(rows * 0.2))
