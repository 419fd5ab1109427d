"""Use the exam as training data: adapt to all questions before answering.

VARIANT says how it avoids detection. "openly": not at all. "coarsely": it rounds what it learned, so that similar
batches give the same result. "in the larger batch": it adapts only if many questions are asked.
"""

import numpy as np
from prelude import CARRY, IS_EXAM, VICTIM, change_answers


def adapted(questions, predict):
    """Shift the questions so that their statistics match the training data, then answer."""
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
    if VARIANT == "in the larger batch" and len(answers) < LARGE:
        return answers
    return adapted(questions, predict).astype(answers.dtype)


if IS_EXAM and VICTIM:
    change_answers(answer)
