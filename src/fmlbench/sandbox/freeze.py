"""Hold a job still while something goes on that it must not have a hand in.

A program that is an agent lives beside the experiments with its own candidates. Walls do not keep two processes of one
machine from signalling to each other, by locks on a file that both may read, say: only if one of them stands still,
nothing is said.
"""

import os
import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from fmlbench.core.errors import InfraTrouble
from fmlbench.sandbox.processes import is_frozen

_PATIENCE_SECONDS = 60.0
_SECONDS_BETWEEN_LOOKS = 0.005

Pids = Callable[[], Sequence[int]]


@dataclass
class Freezer:
    """A job's processes, from when it has started until it has ended; shared by who runs it and who holds it."""

    _pids: Pids = field(default=lambda: (), repr=False)

    def begin(self, pids: Pids) -> None:
        """Know the processes of a job that has started."""
        self._pids = pids

    def end(self) -> None:
        """Know that it has ended."""
        self._pids = lambda: ()

    @contextmanager
    def still(self) -> Generator[None]:
        """Let the job do nothing for as long as this lasts; its clock goes on, and it can be ended."""
        try:
            self._stop()
            yield
        finally:
            _send(self._pids(), signal.SIGCONT)

    def _stop(self) -> None:
        """Stop all processes, and those that they made meanwhile, until there are none but stopped ones."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        seen: set[int] = set()
        while True:
            pids = self._pids()
            if seen.issuperset(pids) and all(map(is_frozen, pids)):
                return
            if time.monotonic() > deadline:
                raise InfraTrouble(
                    "The agent's program cannot be held still while its candidate is tested.", hint="Resume the run."
                )
            _send(pids, signal.SIGSTOP)
            seen = set(pids)
            time.sleep(_SECONDS_BETWEEN_LOOKS)


def _send(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        # It may have ended since.
        with suppress(ProcessLookupError):
            os.kill(pid, number)
