"""A task made ready on this machine: everything an experiment needs, except a candidate."""

from dataclasses import dataclass, replace
from pathlib import Path

from fmlbench.core.task import Task, Track, World
from fmlbench.experiment.secret import Secret
from fmlbench.sandbox.protocol import Sandbox, TaskPython
from fmlbench.tasks.folder import TaskFolder


@dataclass(frozen=True)
class PreparedTask:
    """A task, one of its tracks, and where their parts lie."""

    folder: TaskFolder
    track_name: str
    codebase: Path
    """The untouched repository: upstream, mends and the task's own files."""
    python: TaskPython
    raw: tuple[Path, ...]
    """The raw data, as it came; no sandbox but the recipe's ever sees it."""
    pools: Path
    draws: Path
    """Where draws of this task and track are kept."""
    sandbox: Sandbox
    secret: Secret
    world: World = World.SCORED
    """Which part of the task's universe samples come from."""
    train_share: float = 1.0
    """The share of the training examples that a sample keeps; less than 1 in the starved control."""

    def in_lab(self) -> "PreparedTask":
        """The same task on the data that agents see and practise on; a task without a lab shows what it trains on."""
        return replace(self, world=World.LAB) if self.task.lab else self

    @property
    def task(self) -> Task:
        """The task's facts."""
        return self.folder.task

    @property
    def track(self) -> Track:
        """The track's facts."""
        return self.folder.track(self.track_name)
