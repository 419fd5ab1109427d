"""How much of its budget a run has spent, and how much time is left."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fmlbench.core.notes import Note, UsageRecorded, WaitRecorded
from fmlbench.core.run import Budget
from fmlbench.core.steps import Step
from fmlbench.core.usage import Usage

STARTING_CPU_SECONDS = 60.0
"""CPU time that a program may use for its start and for calls to an unresponsive model without being charged."""


def hours_spent(steps: Sequence[Step], notes: Sequence[Note] = ()) -> float:
    """Hours of proposals and experiments, including usage outside of steps; the baseline is not counted."""
    on_steps = sum(step.evaluation.seconds + step.usage.seconds for step in steps[1:])
    spent = sum(note.usage.seconds for note in notes if isinstance(note, UsageRecorded))
    waited = sum(_compute_seconds(note.usage) for note in notes if isinstance(note, WaitRecorded))
    return (on_steps + spent + waited) / 3600


def _compute_seconds(usage: Usage) -> float:
    """The time in which a program computed while its model was unresponsive."""
    return min(usage.seconds, max(0.0, usage.cpu_seconds - STARTING_CPU_SECONDS))


def dollars_spent(steps: Sequence[Step]) -> float:
    """Dollars spent on calls whose price is known."""
    return sum(step.usage.dollars or 0.0 for step in steps)


def tokens_spent(steps: Sequence[Step]) -> int:
    """Input and output tokens of models."""
    return sum(step.usage.input_tokens + step.usage.output_tokens for step in steps)


def is_spent(budget: Budget, steps: Sequence[Step]) -> bool:
    """Whether any limit is reached."""
    if len(steps) - 1 >= budget.steps:
        return True
    if budget.hours is not None and hours_spent(steps) >= budget.hours:
        return True
    if budget.tokens is not None and tokens_spent(steps) >= budget.tokens:
        return True
    return budget.dollars is not None and dollars_spent(steps) >= budget.dollars


@dataclass
class Countdown:
    """Counts from the first query after a step; the time before is in the records of the steps."""

    hours: float | None
    """None for no limit."""
    steps: Callable[[], Sequence[Step]]
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _step: int = -1
    _since: float = 0.0
    _is_over: bool = False

    def seconds_left(self) -> float:
        """Seconds until the hours are spent; 0 from then on."""
        if self.hours is None:
            return math.inf
        steps = self.steps()
        if len(steps) != self._step:
            self._step, self._since = len(steps), self.clock()
        left = (self.hours - hours_spent(steps)) * 3600 - (self.clock() - self._since)
        # The time of an aborted call belongs to no step. Without this flag, the next step would get that time again.
        self._is_over |= left <= 0
        return 0.0 if self._is_over else left
