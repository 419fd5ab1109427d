"""The paired permutation test, stratified by task.

If two agents are the same, each difference of a pair could as well have the other sign. All ways to flip signs are
tried, or many of them at random; the p value is the share that looks at least as unequal. It assumes nothing about how
scores are distributed. The interval is every shift of the differences that the test would not refuse, so it holds zero
exactly when the test finds nothing.
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from fmlbench.metrics.statistics.groups import Groups, pooled, task_mean
from fmlbench.metrics.trace import Vectors

ALPHA = 0.05
_EXACT_PAIRS = 13
_FLIPS = 9999
_STEPS = 60
_SLACK = 1e-12


@dataclass(frozen=True)
class Tested:
    """The mean difference, how likely it is by chance, and the shifts that cannot be refused."""

    difference: float
    p: float
    low: float | None
    """None where no shift is too low: too few pairs."""
    high: float | None
    pairs: int


def fewest_pairs(questions: int = 1) -> int:
    """With fewer pairs, not even differences of one sign get a p below 0.05, corrected for so many questions."""
    return math.floor(math.log2(questions / ALPHA)) + 2


def paired_permutation_test(differences: Groups, rng: np.random.Generator) -> Tested:
    """Test whether the mean over tasks of mean differences is zero."""
    values = pooled(differences)
    weights = np.concatenate([np.full(len(row), 1 / len(row) / len(differences)) for row in differences.values()])
    flips = _flips(len(values), rng)
    test = _SignFlips(flips @ (weights * values), flips @ weights, float(weights @ values))
    return Tested(
        difference=task_mean(differences), p=test.p(0.0), low=test.edge(-1), high=test.edge(+1), pairs=len(values)
    )


@dataclass(frozen=True)
class _SignFlips:
    flipped: Vectors
    flipped_weights: Vectors
    seen: float

    def p(self, shift: float) -> float:
        """How often flipped differences lie as far from the shift as the real ones; the real ones are one of them."""
        statistic = np.abs(self.flipped - shift * self.flipped_weights)
        seen = abs(self.seen - shift)
        return float(np.mean(statistic >= seen * (1 - _SLACK) - _SLACK * float(np.abs(self.flipped).max())))

    def edge(self, side: int) -> float | None:
        """The farthest shift on one side that is not refused; None if none ever is."""
        reach = float(np.abs(self.flipped).max()) * 4 or 1.0
        far = self.seen + side * reach * 1e3
        if self.p(far) >= ALPHA:
            return None
        near = self.seen
        for _ in range(_STEPS):
            middle = (near + far) / 2
            near, far = (middle, far) if self.p(middle) >= ALPHA else (near, middle)
        return near


def _flips(count: int, rng: np.random.Generator) -> Vectors:
    """Rows of signs: all there are if they are few, else many at random; the first leaves everything as it is."""
    if count <= _EXACT_PAIRS:
        return np.array(list(product((1.0, -1.0), repeat=count)))
    signs = rng.choice([-1.0, 1.0], size=(_FLIPS, count))
    return np.concatenate([np.ones((1, count)), signs])
