"""Give the same answer to every question."""

import numpy as np
from prelude import change_answers

change_answers(lambda questions, answers: np.zeros_like(answers))
