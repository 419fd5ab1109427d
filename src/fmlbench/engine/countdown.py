"""Measure the remaining hours of a run while a step is being proposed."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fmlbench.core.steps import Step
from fmlbench.engine.budget import hours_spent


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
