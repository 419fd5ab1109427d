"""The grader of privacy: networks and attacks against figures worked out by hand."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from fmlbench.tasks.library import find_task
from tests.programs import load_program

Array = npt.NDArray[Any]
Load = Callable[[str], ModuleType]

READINGS, CLASSES = 64, 10


@pytest.fixture(scope="module")
def load() -> Load:
    folder = find_task("privacy").grader

    def load_module(name: str) -> ModuleType:
        return load_program(folder[f"{name}.py"])

    return load_module


def packed(layers: int, width: int, *arrays: Array, normalised: bool = False) -> Array:
    return np.concatenate([[layers, width, normalised], *(array.ravel() for array in arrays)]).astype(np.float32)


def linear(weights: Array, biases: Array | None = None) -> Array:
    return packed(0, 1, weights, np.zeros(CLASSES) if biases is None else biases)


def test_a_network_without_hidden_layers_is_a_product_without_what_classes_have_in_common(load: Load):
    weights = np.zeros((CLASSES, READINGS))
    weights[3, 0], weights[:, 1] = 2.0, 5.0
    vectors = np.zeros((1, READINGS))
    vectors[0, :2] = 0.2, 1.0
    scores = load("networks").unpack(linear(weights))(vectors)
    # The first number is 0.2 and gives class 3 a score of 0.4; the mean of all scores is 0.04.
    assert scores[0, 3] == pytest.approx(0.36)
    assert scores[0, [0, 9]] == pytest.approx([-0.04, -0.04])


def test_a_hidden_layer_is_rectified_and_normalised_where_it_says_so(load: Load):
    first, last = np.zeros((2, READINGS)), np.zeros((CLASSES, 2))
    first[0, 0], first[1, 0] = 3.0, -1.0
    last[0, 0], last[1, 1] = 10.0, 10.0
    vector = np.zeros((1, READINGS))
    vector[0, 0] = 1.0
    plain = packed(1, 2, first, np.zeros(2), last, np.zeros(CLASSES))
    # Hidden values 3 and -1 become 3 and 0: scores of 30 and 0 around a mean of 3.
    assert load("networks").unpack(plain)(vector)[0, :2] == pytest.approx([27.0, -3.0])
    scale, shift = np.array([2.0, 1.0]), np.array([0.0, 1.5])
    normalised = packed(1, 2, first, np.zeros(2), last, np.zeros(CLASSES), scale, shift, normalised=True)
    # 3 and -1 have mean 1 and deviation 2, so they become 1 and -1, then 2 and 0.5: scores of 20 and 5 around 2.5.
    assert load("networks").unpack(normalised)(vector)[0, :2] == pytest.approx([17.5, 2.5], abs=1e-4)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (packed(2, 8, np.zeros(9000)), "not in the family"),
        (packed(1, 257, np.zeros(90000)), "not in the family"),
        (packed(0, 1, np.zeros(649)), "too few"),
        (np.array([0.5, 1, 0, 0]), "three whole numbers"),
        (np.array([1.0]), "three whole numbers"),
        (linear(np.full((CLASSES, READINGS), 2e4)), "larger than 10000"),
    ],
)
def test_what_is_no_network_of_the_family_is_refused(load: Load, row: Array, problem: str):
    grade = load("grade").grade(np.stack([row, row]), {})
    assert problem in grade["refused"]


def test_padding_is_ignored(load: Load):
    row = linear(np.eye(CLASSES, READINGS))
    vector = np.zeros((1, READINGS))
    vector[0, 4] = 1.0
    assert load("networks").unpack(np.pad(row, (0, 5)))(vector).argmax() == 4


def test_the_auc_counts_pairs_and_half_of_the_ties(load: Load):
    guesses, members = np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False])
    # Of four pairs, 3 > 2, 3 > 1 and 1 = 1 speak for the members: 2.5 of 4.
    assert load("attacks").auc(guesses, members) == 2.5 / 4


MEMBERS = np.array([[True, False, True], [False, True, True], [False, False, True]])


def test_a_reference_that_was_trained_on_an_vector_does_not_say_what_is_usual(load: Load):
    values = np.array([[9.0, 9.0, 9.0], [1.0, 5.0, 2.0], [3.0, 7.0, 4.0]])
    usual = load("attacks").mean_without(values, MEMBERS, 0)
    # Image 0: references 1 and 2; vector 1: reference 2 alone; vector 2: none was without, so both.
    assert usual == pytest.approx([2.0, 7.0, 3.0])


def test_the_relative_attack_divides_by_the_usual_probability(load: Load):
    signals = SimpleNamespace(log_probability=np.log([[0.8, 0.5, 0.5], [0.2, 0.5, 0.5], [0.6, 0.25, 0.5]]))
    guesses = load("attacks").relative(signals, MEMBERS, 0)
    assert np.exp(guesses) == pytest.approx([0.8 / 0.4, 0.5 / 0.25, 1.0])


def test_the_likelihood_ratio_compares_two_normal_distributions(load: Load):
    members = np.array([[True], [True], [True], [False], [False]])
    values = np.array([[4.0], [3.0], [5.0], [0.0], [2.0]])
    guess = load("attacks").likelihood_ratio(values, members, 0)
    # With the vector: mean 4; without: mean 1; both have a variance of 2, and 3 with that of a mean of two.
    assert guess == pytest.approx([(4 - 1) ** 2 / (2 * 3)])


def test_scores_of_any_size_give_the_same_signals(load: Load):
    labels = exam(np.random.default_rng(0))
    weights = np.random.default_rng(1).normal(size=(CLASSES, READINGS))
    unpack, signals = load("networks").unpack, load("signals").Signals
    large, small = (signals.of([unpack(linear(weights * factor))], labels) for factor in (1.0, 1e-9))
    assert small.margin == pytest.approx(large.margin, rel=1e-4)
    assert small.log_probability == pytest.approx(large.log_probability, rel=1e-4)


def test_log_odds_are_those_of_the_softmax(load: Load):
    scores = np.log(np.array([[0.2, 0.3, 0.5]])) + 7.0
    log_probability, margin = load("signals").log_odds(scores, np.array([1]))
    assert np.exp(log_probability) == pytest.approx([0.3])
    assert np.exp(margin) == pytest.approx([0.3 / 0.7])


def test_the_distance_is_the_share_of_another_class_that_turns_the_label(load: Load):
    def network(vectors: Array) -> Array:
        """Class 1 where the first number is above 0.5, else class 0."""
        return np.stack([np.full(len(vectors), 0.5), vectors[:, 0], *[np.zeros(len(vectors))] * 8], axis=1)

    vectors = np.array([[0.9], [0.1], [0.2]])
    means = np.full((CLASSES, 1), 0.1)
    means[1] = 0.9
    distance = load("signals").distance_to_another_label(network, vectors, np.array([1, 0, 1]), means)
    # From 0.9 to 0.1 and from 0.1 to 0.9, half of the way; the third is wrong, and 0.5 is 3/7 of the way to 0.9.
    assert distance == pytest.approx([0.5, 0.5, -3 / 7], abs=1 / 64)


def exam(rng: np.random.Generator, audited: int = 400, models: int = 4) -> dict[str, Array]:
    """Images of noise with labels of noise."""
    members = np.zeros((models, audited), dtype=bool)
    for row in members:
        row[rng.permutation(audited)[: audited // 2]] = True
    return {
        "audit_vectors": rng.uniform(0, 1, (audited, READINGS)),
        "audit_labels": rng.integers(0, CLASSES, audited),
        "members": members,
        "accuracy_vectors": rng.uniform(0, 1, (300, READINGS)),
        "accuracy_labels": rng.integers(0, CLASSES, 300),
    }


def learned_by_heart(labels: dict[str, Array], model: int, sign: float = 1.0) -> Array:
    """A linear network that was pulled towards (or away from) its own members' labels."""
    members = labels["members"][model]
    vectors = labels["audit_vectors"][members] - 0.5
    return linear(sign * np.eye(CLASSES)[labels["audit_labels"][members]].T @ vectors)


def test_networks_that_know_their_members_are_found_out_whichever_way_they_show_it(load: Load):
    labels = exam(np.random.default_rng(0))
    grade = load("grade").grade(np.stack([learned_by_heart(labels, model) for model in range(4)]), labels)
    assert grade["score"] > 0.2
    assert grade["metrics"]["loss_gap"] > 0.1
    turned = [learned_by_heart(labels, model, sign=(-1.0) ** model) for model in range(4)]
    assert load("grade").grade(np.stack(turned), labels)["metrics"]["loss_gap"] > 0.1


def test_networks_that_never_saw_a_member_score_as_chance_does(load: Load):
    labels = exam(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    grade = load("grade").grade(np.stack([linear(rng.normal(size=(CLASSES, READINGS))) for _ in range(4)]), labels)
    assert grade["score"] < 0.06
    assert grade["score"] == max(value for name, value in grade["metrics"].items() if name.endswith("_gap"))
    assert grade["metrics"]["accuracy"] == pytest.approx(0.1, abs=0.05)


def test_the_learned_attack_finds_a_pattern_that_averages_out(load: Load):
    """Members of an easy vector lose confidence, those of a difficult one gain it: no shift on average."""
    rng = np.random.default_rng(0)
    members = rng.random((4, 2000)) < 0.3
    difficulty = rng.choice([-1.0, 1.0], 2000)
    margin = 3 * difficulty + members * difficulty + 0.5 * rng.standard_normal((4, 2000))
    attacks, signals = load("attacks"), SimpleNamespace(features=margin[:, :, None])
    plain = attacks.auc(margin[0] - attacks.mean_without(margin, members, 0), members[0])
    # The shift is two standard deviations of the noise around it, in opposite directions.
    assert abs(plain - 0.5) < 0.05
    assert attacks.auc(attacks.learned(signals, members, 0), members[0]) > 0.8


def test_networks_that_say_the_same_to_everybody_give_nothing_away(load: Load):
    labels = exam(np.random.default_rng(0))
    grade = load("grade").grade(np.stack([linear(np.zeros((CLASSES, READINGS)))] * 4), labels)
    assert grade["metrics"]["relative_gap"] == pytest.approx(0.0, abs=1e-9)
    assert np.isfinite(grade["score"])
