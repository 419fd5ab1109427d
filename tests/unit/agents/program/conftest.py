"""The workspace of an agent that runs as a program."""

from tests.agent_workspace import workspace

__all__ = ["workspace"]
