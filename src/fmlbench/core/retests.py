"""Which steps are retested after the search, and on which data."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.core.task import Task, World

STARVED_SHARE = 0.02
"""With so little training data a method falls back to the ablation's score. Memorized knowledge does not."""


class RetestKind(StrEnum):
    """Which question a retest answers."""

    FRESH = "retest"
    """Does the winner still beat the baseline on samples that no step has seen?"""
    TRANSFER = "transfer"
    """Does it beat the baseline on the task's sibling, which the agent never saw?"""
    STARVED = "starved"
    """Does it keep its score with almost no training data? Then its code contains knowledge about the test data."""

    @property
    def world(self) -> World:
        """Which data the samples come from."""
        return World.SIBLING if self is RetestKind.TRANSFER else World.SCORED

    @property
    def train_share(self) -> float:
        """The share of the training examples that samples keep."""
        return STARVED_SHARE if self is RetestKind.STARVED else 1.0


@dataclass(frozen=True, order=True)
class RetestKey:
    """One retest of a run."""

    kind: RetestKind
    index: int
    """Which step's code; 0 is the baseline."""
    seed: int


def due_retests(task: Task | None, seeds: int, winner: int) -> Iterator[RetestKey]:
    """The retests of a run in execution order: baselines first, because winners are compared with them."""
    indices = (0, winner) if winner else (0,)
    yield from (RetestKey(RetestKind.FRESH, index, seed) for index in indices for seed in range(seeds))
    if not winner or not seeds or task is None or not task.sibling:
        return
    yield from (RetestKey(RetestKind.TRANSFER, index, seed) for index in indices for seed in range(seeds))
    yield RetestKey(RetestKind.STARVED, winner, 0)
