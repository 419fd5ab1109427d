"""A context for agents that do not use it."""

from fmlbench.agents.context import AgentContext, AgentWorkspace
from fmlbench.core.run import Budget


def bare_context(reference: dict[str, str] | None = None, idea: str = "", steps: int = 3) -> AgentContext:
    """A task's reference and a budget, and no place for a program to work in."""
    return AgentContext(reference or {}, idea, Budget(steps=steps), _no_quarters)


def _no_quarters() -> AgentWorkspace:
    raise AssertionError("only programs need a workspace")
