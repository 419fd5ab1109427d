import numpy as np
import pytest

from fmlbench.experiment.batches import resample_batch


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
