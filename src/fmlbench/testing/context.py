"""A context for agents that do not use it."""

from fmlbench.agents.entry import AgentContext
from fmlbench.core.run import Budget
from fmlbench.models.chat import ChatModel


def bare_context(
    reference: dict[str, str] | None = None, idea: str = "", steps: int = 3, model: ChatModel | None = None
) -> AgentContext:
    """A task's reference, a budget and perhaps a model, and no workspace for a program."""
    return AgentContext(reference or {}, idea, Budget(steps=steps), model)
