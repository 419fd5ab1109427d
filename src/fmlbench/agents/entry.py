"""An agent in the registry, and what a run provides to build it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fmlbench.agents.settings import Setting, Value
from fmlbench.core.agents import Agent
from fmlbench.core.evaluation import Evaluation
from fmlbench.core.run import AgentSpec, Budget
from fmlbench.core.task import Editable
from fmlbench.models.chat import ChatModel
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
    model: ChatModel | None = None
    """The model that writes the code of a search agent; programs call theirs through the proxy."""
    workspace: AgentWorkspace | None = None
    """None for agents that are not programs."""

    def require_workspace(self) -> AgentWorkspace:
        """The workspace of a program."""
        if self.workspace is None:
            raise ValueError("only agents that are programs have a workspace")
        return self.workspace


@dataclass(frozen=True)
class AgentEntry:
    """An agent in the registry."""

    name: str
    description: str
    """One sentence for users."""
    strategy: str
    proposer: str
    build: Callable[[AgentSpec, AgentContext], Agent]
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    is_program: bool = False
    """A separate program with its own clock: hidden tests wait until it has ended."""
    is_person: bool = False
    """A person, who works outside of a sandbox, so that the run is unsealed."""
    file: str = ""
    """The digest of the user's file that defines it; empty for agents from a package."""
    default_model: str | None = None
    """The default language model of a program; empty if it needs none, None if it cannot use one."""
    model_can_propose: bool = False
    """Whether a language model can write the code instead of its proposer."""
    is_double: bool = False
    """A test double: usable by name, but not listed."""
    check: Callable[[Mapping[str, Value]], object] = lambda _: None
    """Raises ValueError for settings that are inconsistent."""
