"""The protocol of engines.

An engine starts jobs and reports when one has ended. The result is in the run's folder. The state of an engine is
never needed, so a sweep can be killed and started again, even on another engine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fmlbench.scheduling.plan import PlannedRun


@dataclass(frozen=True)
class JobDone:
    """A job that has ended."""

    runs: tuple[PlannedRun, ...]
    error: str = ""
    """The engine's error message, if any."""


class Engine(Protocol):
    """Executes jobs."""

    @property
    def parallel(self) -> int:
        """Number of parallel runs."""
        ...

    def recovered(self) -> Sequence[PlannedRun]:
        """Runs that are still executing from an earlier sweep."""
        ...

    def room(self) -> int:
        """Number of further runs that can be started now."""
        ...

    def start(self, runs: Sequence[PlannedRun]) -> None:
        """Start runs, at most ``room()``."""
        ...

    def finished(self) -> Sequence[JobDone]:
        """The jobs that ended since the last call; does not block."""
        ...

    def stop(self) -> None:
        """Stop all jobs cleanly, and wait for them."""
        ...

    def close(self) -> None:
        """Called before the sweep's process ends: stop jobs that cannot continue without it."""
        ...
