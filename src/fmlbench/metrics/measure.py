"""A measure: one number per run, with its unit, direction and definition."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.metrics.trace import Trace


class Better(StrEnum):
    """Which values of a measure are better. Agents cannot be ranked by a measure with NEITHER."""

    HIGHER = "higher"
    LOWER = "lower"
    TASK = "as the task's score"
    NEITHER = "neither"


@dataclass(frozen=True)
class Missing:
    """A missing value and its reason; missing is not zero."""

    why: str


Value = float | Missing

PAPER = "paper"
SUCCESSOR = "successor"
BOTH = "paper, successor"
"""Where measures were defined."""


class MeasureFamily(StrEnum):
    """What a measure is about."""

    PERFORMANCE = "performance"
    RELIABILITY = "reliability"
    EFFICIENCY = "efficiency"
    EXPLORATION = "exploration"
    HIDDEN_TEST = "hidden test"
    COST = "cost"


@dataclass(frozen=True)
class Measure:
    """One entry of the catalogue."""

    name: str
    family: MeasureFamily
    unit: str
    better: Better
    sentence: str
    """Its definition in one sentence."""
    of: Callable[[Trace], Value]
    source: str = "ours"
    """Where it was defined: the paper, its successor, or fmlbench."""

    @property
    def needs_embedding(self) -> bool:
        """Whether its value depends on the embedder."""
        return self.family is MeasureFamily.EXPLORATION
