"""What is tested again once an agent is done, and on which data."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from fmlbench.core.task import Task, World

STARVED_SHARE = 0.02
"""A method needs data: with so little of it, it falls back to the ablation. Carried knowledge does not."""


class RetestKind(StrEnum):
    """Which question a retest answers."""

    FRESH = "retest"
    """Does the winner still beat the baseline on samples that no step has seen?"""
    TRANSFER = "transfer"
    """Does it beat the baseline on the task's sibling, which the agent never saw?"""
    STARVED = "starved"
    """Does it keep its score without training data? Then it did not learn it here."""

    @property
    def world(self) -> World:
        """Where the samples come from."""
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
    """The retests of a run in the order in which they start: baselines first, since winners are compared with them."""
    indices = (0, winner) if winner else (0,)
    yield from (RetestKey(RetestKind.FRESH, index, seed) for index in indices for seed in range(seeds))
    if not winner or not seeds or task is None or not task.sibling:
        return
    yield from (RetestKey(RetestKind.TRANSFER, index, seed) for index in indices for seed in range(seeds))
    yield RetestKey(RetestKind.STARVED, winner, 0)
