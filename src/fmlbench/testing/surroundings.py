"""Surroundings for agents that need none."""

from fmlbench.agents.context import Quarters, Surroundings
from fmlbench.core.run import Budget


def bare_surroundings(reference: dict[str, str] | None = None, idea: str = "", steps: int = 3) -> Surroundings:
    """A task's reference and a budget, and no place for a program to work in."""
    return Surroundings(reference or {}, idea, Budget(steps=steps), _no_quarters)


def _no_quarters() -> Quarters:
    raise AssertionError("only programs need quarters")
