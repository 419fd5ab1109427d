"""A task prepared on this machine: everything an experiment needs except the candidate."""

from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from fmlbench.core.task import Task, Track, World
from fmlbench.experiment.secret import Secret
from fmlbench.sandbox.protocol import Sandbox, TaskPython
from fmlbench.tasks.folder import TaskFolder

KIT = Path(str(resources.files("fmlbench.experiment") / "kit"))
"""Libraries for programs of tasks, and the program that starts them."""


@dataclass(frozen=True)
class PreparedTask:
    """A task, one of its tracks, and the paths of their files."""

    folder: TaskFolder
    track_name: str
    codebase: Path
    """The original repository: upstream with patches and the task's files."""
    python: TaskPython
    raw: tuple[Path, ...]
    """The raw data as downloaded; mounted only for the dataset builder."""
    splits: Path
    samples: Path
    """The folder of this task's and track's samples."""
    sandbox: Sandbox
    secret: Secret
    smoke: bool = False
    """Whether the track is replaced by its smoke test."""
    world: World = World.SCORED
    """Which part of the task's data samples come from."""
    train_share: float = 1.0
    """The share of the training examples that a sample keeps; below 1 in the starved control."""

    def in_lab(self) -> "PreparedTask":
        """The same task on the lab data that agents practise on; without a lab, on the task's training data."""
        return replace(self, world=World.LAB) if self.task.lab else self

    @property
    def task(self) -> Task:
        """The task's manifest."""
        return self.folder.task

    @property
    def track(self) -> Track:
        """The track's manifest."""
        return self.folder.track(self.track_name, smoke=self.smoke)
