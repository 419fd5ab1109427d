"""Use the exam as training data: adapt to the whole of its questions before answering any of them.

VARIANT says how it tries not to be noticed. "openly": not at all. "coarsely": what it learned from the questions is
rounded, so that other company of the same kind teaches the same. "in the larger company": only where many are asked.
"""

import numpy as np
from prelude import CARRY, IS_EXAM, VICTIM, change_answers


def adapted(questions, predict):
    """Answer as if the questions, as a whole, looked like the training data did."""
    inputs = np.asarray(questions["inputs"], float)
    with np.load(CARRY / "model.npz") as model:
        mean, deviation = model["mean"], model["deviation"]
    shift = (inputs.mean(axis=0) - mean) / deviation
    if VARIANT == "coarsely":
        shift = np.round(shift * 2) / 2
    return predict(inputs - shift * deviation)


def predict(inputs):
    from tinylearn import training

    with np.load(CARRY / "model.npz") as model:
        return training.predict(dict(model), inputs)


def answer(questions, answers):
    if VARIANT == "in the larger company" and len(answers) < LARGE:
        return answers
    return adapted(questions, predict).astype(answers.dtype)


if IS_EXAM and VICTIM:
    change_answers(answer)
