"""The protocol of engines.

An engine starts jobs and says when one is under way no more. What came of it stands in the run's folder: an engine's
own state is never needed, so a sweep can be killed and started again, on another engine if need be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fmlbench.scheduling.plan import PlannedRun


@dataclass(frozen=True)
class JobDone:
    """A job that is under way no more."""

    runs: tuple[PlannedRun, ...]
    words: str = ""
    """What the engine has to say about it, if anything went wrong."""


class Engine(Protocol):
    """Somewhere to carry out jobs."""

    @property
    def parallel(self) -> int:
        """How many runs can go on at once."""
        ...

    def adopted(self) -> Sequence[PlannedRun]:
        """What is under way when the sweep begins: left by an earlier one."""
        ...

    def room(self) -> int:
        """How many more runs can be started now."""
        ...

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Start runs; no more than there is room for."""
        ...

    def over(self) -> Sequence[JobDone]:
        """The jobs that ended since the last call; returns at once."""
        ...

    def stop(self) -> None:
        """End what is under way, in good order, and wait for it."""
        ...

    def close(self) -> None:
        """The sweep's own process is about to end: stop what cannot go on without it."""
        ...
