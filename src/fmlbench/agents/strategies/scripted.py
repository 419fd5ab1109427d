"""The moves of a script, in order: a test double."""

from dataclasses import dataclass
from random import Random

from fmlbench.agents.script import Script
from fmlbench.core.steps import History, Move


@dataclass(frozen=True)
class ScriptedStrategy:
    """Returns the scripted move for each step, and ends after the last."""

    script: Script

    def next_move(self, history: History, rng: Random) -> Move | None:
        """Return the move that the script has for this step."""
        done = len(history.proposed)
        if done >= len(self.script):
            return None
        step = self.script[done]
        return Move(operator=step.operator, parents=step.parents)
