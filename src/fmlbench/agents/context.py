"""What an agent is built with, besides its session."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.run import Budget
from fmlbench.core.task import Editable
from fmlbench.sandbox.protocol import Mount, Sandbox, TaskPython

Practice = Callable[[Mapping[str, str]], Evaluation]
"""Train and score on practice questions, which reveal nothing about validation or test."""


@dataclass(frozen=True)
class AgentWorkspace:
    """The files and the sandbox of an agent that is a program."""

    run_id: str
    folder: Path
    """The agent's folder within the run's folder."""
    codebase: Path
    """The original repository; the program gets a copy."""
    editable: Editable
    python: TaskPython
    sandbox: Sandbox
    visible: tuple[Mount, ...]
    """The visible data of a sample that is not used for evaluation, and the task's driver."""
    programs: Path
    """The folder in which missing programs are installed."""
    hours_left: Callable[[], float]
    practice: Practice | None = None
    """None if the task has no practice questions."""


@dataclass(frozen=True)
class AgentContext:
    """What agents are built with; most need none of it."""

    reference: Mapping[str, str]
    """The files that the task's expert reference changes. Only ``oracle`` uses them."""
    reference_idea: str
    budget: Budget
    workspace: Callable[[], AgentWorkspace]
    """Called only by agents that are programs."""
