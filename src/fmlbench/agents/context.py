"""What a run gives to the agent that is built for it, besides its session."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.evaluation import Evaluation
from fmlbench.core.run import Budget
from fmlbench.core.task import Editable
from fmlbench.sandbox.protocol import Mount, Sandbox, TaskPython

Practice = Callable[[Mapping[str, str]], Evaluation]
"""Train and answer practice questions in the lab; says nothing about validation or test."""


@dataclass(frozen=True)
class AgentWorkspace:
    """A place to work in for a program that is an agent."""

    run_id: str
    folder: Path
    """The agent's own part of the run's folder."""
    codebase: Path
    """The untouched repository; the program gets a copy."""
    editable: Editable
    python: TaskPython
    sandbox: Sandbox
    visible: tuple[Mount, ...]
    """The visible data of one draw that is nobody's evaluation, and the task's driver."""
    programs: Path
    """Where programs are installed that are not on this machine yet."""
    hours_left: Callable[[], float]
    practice: Practice | None = None
    """None where a task has no practice questions."""


@dataclass(frozen=True)
class AgentContext:
    """What agents are built with; most need nothing of it."""

    reference: Mapping[str, str]
    """The files that the task's expert reference lays over the codebase. Only ``oracle`` looks at it."""
    reference_idea: str
    budget: Budget
    workspace: Callable[[], AgentWorkspace]
    """Made when an agent asks: only programs need them."""
