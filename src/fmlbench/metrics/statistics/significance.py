"""The paired permutation test, stratified by task, and p values adjusted for multiple testing.

If two agents are equal, each paired difference is as likely to have the opposite sign. The test evaluates all sign
flips, or a random subset; p is the share of flips with at least the observed mean difference. It makes no assumption
about the distribution of scores. The interval contains every shift of the differences that the test does not reject,
so it contains zero exactly if the test is not significant.
"""

import math
from collections.abc import Sequence
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
    """The mean difference, its p value, and its confidence interval."""

    difference: float
    p: float
    low: float | None
    """None if unbounded: too few pairs."""
    high: float | None
    pairs: int


def fewest_pairs(questions: int = 1) -> int:
    """The smallest number of pairs that can reach a corrected p below 0.05."""
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
        """The p value of a shift: the share of sign flips, including the identity, at least as far from it."""
        statistic = np.abs(self.flipped - shift * self.flipped_weights)
        seen = abs(self.seen - shift)
        return float(np.mean(statistic >= seen * (1 - _SLACK) - _SLACK * float(np.abs(self.flipped).max())))

    def edge(self, side: int) -> float | None:
        """The farthest shift on one side that is not rejected; None if no shift is rejected."""
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
    """Rows of signs: all combinations if few, otherwise random ones; the first row is the identity."""
    if count <= _EXACT_PAIRS:
        return np.array(list(product((1.0, -1.0), repeat=count)))
    signs = rng.choice([-1.0, 1.0], size=(_FLIPS, count))
    return np.concatenate([np.ones((1, count)), signs])


def holm(values: Sequence[float]) -> list[float]:
    """Holm's correction: controls the family-wise error rate."""
    order = np.argsort(values)
    count = len(values)
    adjusted = np.empty(count)
    adjusted[order] = np.maximum.accumulate(np.sort(values) * np.arange(count, 0, -1))
    return np.minimum(adjusted, 1.0).tolist()


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: controls the false discovery rate."""
    order = np.argsort(values)
    count = len(values)
    adjusted = np.empty(count)
    scaled = np.sort(values) * count / np.arange(1, count + 1)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0).tolist()
