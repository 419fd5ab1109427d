import numpy as np
import pytest

from fmlbench.core.task import AnswerKind, Answers
from fmlbench.execution.agreement import find_dependence, share_that_differs

LABELS = Answers(kind=AnswerKind.INDEPENDENT, dtype="int64", disagreement=0.1)
SCORES = Answers(kind=AnswerKind.INDEPENDENT, dtype="float32", tolerance=0.01)


def test_labels_agree_where_they_are_equal():
    assert share_that_differs(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 0]), LABELS) == pytest.approx(0.25)


def test_numbers_agree_within_a_share_of_their_spread():
    first = np.array([0.0, 10.0, 0.0, 10.0], np.float32)  # standard deviation 5, so 0.05 is tolerated
    again = first + np.array([0.04, 0.04, 0.06, 0.0], np.float32)
    assert share_that_differs(first, again, SCORES) == pytest.approx(0.25)


def test_a_little_disagreement_is_tolerated_and_more_is_named():
    first = np.zeros(10, np.int64)
    again = first.copy()
    again[0] = 1
    assert find_dependence(first, again, LABELS) == ""
    again[1] = 1
    assert "20.0%" in find_dependence(first, again, LABELS)
