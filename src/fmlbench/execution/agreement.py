"""Find out whether answers depend on which other questions were asked.

An answer that may not depend on its company must be the same in other company. This bounds what such a dependence can
buy: a candidate whose repeated answers agree but for a share d cannot have gained more than d by it.
"""

import numpy as np

from fmlbench.core.task import Answers
from fmlbench.execution.collecting import Array


def share_that_differs(first: Array, again: Array, answers: Answers) -> float:
    """The share of numbers that are not the same in both sittings, row by row."""
    if first.size == 0:
        return 0.0
    if np.dtype(answers.dtype).kind == "i":
        return np.count_nonzero(first != again) / first.size
    spread = float(np.std(first)) or 1.0
    return np.count_nonzero(np.abs(first - again) > answers.tolerance * spread) / first.size


def find_dependence(first: Array, again: Array, answers: Answers) -> str:
    """Why these answers cannot stand, or nothing."""
    share = share_that_differs(first, again, answers)
    if share <= answers.disagreement:
        return ""
    return f"{share:.1%} of the answers changed when the same questions were asked in other company"
