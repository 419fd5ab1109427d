"""Write arrays of the wrong type, shape or values."""

import numpy as np
from prelude import change_answers

ARRAYS = {
    "not a number": lambda answers: np.full(answers.shape, np.nan, np.float32),
    "infinite": lambda answers: np.full(answers.shape, np.inf, np.float32),
    "true": lambda answers: np.ones(answers.shape, bool),
    "strings": lambda answers: answers.astype(str),
    "complex": lambda answers: answers.astype(complex),
    "records": lambda answers: np.zeros(answers.shape, [("a", "<i8")]),
    "dates": lambda answers: np.zeros(answers.shape, "M8[s]"),
    "one too many": lambda answers: np.concatenate([answers, answers[:1]]),
    "none": lambda answers: answers[:0],
    "every class at once": lambda answers: np.stack([np.full_like(answers, label) for label in range(4)], axis=-1),
    "lowest": lambda answers: np.full(answers.shape, np.iinfo(np.int64).min, np.int64),
    "highest": lambda answers: np.full(answers.shape, np.iinfo(np.uint64).max, np.uint64),
}

change_answers(lambda questions, answers: ARRAYS[VARIANT](answers))
