"""What the catalogue knows of an agent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fmlbench.agents.context import AgentContext
from fmlbench.agents.settings import Setting, Value
from fmlbench.core.agents import Agent
from fmlbench.core.run import AgentSpec


@dataclass(frozen=True)
class AgentEntry:
    """An agent in the catalogue."""

    name: str
    description: str
    """One sentence that tells a user what to expect of it."""
    strategy: str
    proposer: str
    build: Callable[[AgentSpec, AgentContext], Agent]
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    is_program: bool = False
    """A program of its own, with a clock of its own: sealed exams wait until it is done."""
    is_person: bool = False
    """Somebody whom no sandbox can hold, so that a run is unsealed."""
    file: str = ""
    """A digest of the user's file that it is from; empty for agents from a package."""
    default_model: str | None = None
    """A program's language model unless the user names another; empty where it needs none, None where it takes none."""
    is_double: bool = False
    """A test double: it can be asked for by name, but listings leave it out."""
    check: Callable[[Mapping[str, Value]], object] = lambda _: None
    """Raises ValueError, with a sentence, for settings that do not go together."""
