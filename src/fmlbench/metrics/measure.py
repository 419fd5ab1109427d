"""A measure: one number about a run, with what a reader needs to know of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.metrics.trace import Trace


class Better(StrEnum):
    """When a run looks better on a measure; nothing is ranked by a measure where neither is."""

    HIGHER = "higher"
    LOWER = "lower"
    TASK = "as the task's score"
    NEITHER = "neither"


@dataclass(frozen=True)
class Missing:
    """There is no value, and why; missing is not zero."""

    why: str


Value = float | Missing


class MeasureFamily(StrEnum):
    """Which question a measure answers."""

    PERFORMANCE = "performance"
    RELIABILITY = "reliability"
    EFFICIENCY = "efficiency"
    EXPLORATION = "exploration"
    HIDDEN_TEST = "hidden test"
    COST = "cost"


@dataclass(frozen=True)
class Measure:
    """One line of the catalogue."""

    name: str
    family: MeasureFamily
    unit: str
    better: Better
    sentence: str
    """What it is, in one sentence."""
    of: Callable[[Trace], Value]
    source: str = "ours"
    """Who defined it: the paper, its successor, or we."""

    @property
    def needs_embedding(self) -> bool:
        """Whether its value depends on how code is turned into vectors."""
        return self.family is MeasureFamily.EXPLORATION
