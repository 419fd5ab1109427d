"""The registry entry of an agent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fmlbench.agents.context import AgentContext
from fmlbench.agents.settings import Setting, Value
from fmlbench.core.agents import Agent
from fmlbench.core.run import AgentSpec


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
    is_double: bool = False
    """A test double: usable by name, but not listed."""
    check: Callable[[Mapping[str, Value]], object] = lambda _: None
    """Raises ValueError for settings that are inconsistent."""
