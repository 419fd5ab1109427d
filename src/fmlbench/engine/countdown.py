"""How much is left of a run's hours while a step is being proposed."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fmlbench.core.steps import Step
from fmlbench.engine.budget import hours_spent


@dataclass
class Countdown:
    """Counts down from when it is first asked after a step: before that, everything is on the record."""

    hours: float | None
    """None never ends."""
    steps: Callable[[], Sequence[Step]]
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _step: int = -1
    _since: float = 0.0
    _is_over: bool = False

    def seconds_left(self) -> float:
        """Seconds until the hours are spent; none from then on."""
        if self.hours is None:
            return math.inf
        steps = self.steps()
        if len(steps) != self._step:
            self._step, self._since = len(steps), self.clock()
        left = (self.hours - hours_spent(steps)) * 3600 - (self.clock() - self._since)
        # A call that was given up is on no step's record: without this, the next step would get its time once more.
        self._is_over |= left <= 0
        return 0.0 if self._is_over else left
