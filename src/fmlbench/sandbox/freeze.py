"""Freeze a job (SIGSTOP) while a process runs that it must not communicate with.

An agent that is a program runs at the same time as the experiments with its candidates. Two sandboxed processes can
signal to each other through shared state of the machine, for example file locks on a common read-only mount. So the
agent is frozen while its candidate runs.
"""

import os
import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from fmlbench.core.errors import InfraTrouble
from fmlbench.sandbox.processes import is_frozen

_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.005

Pids = Callable[[], Sequence[int]]


@dataclass
class Freezer:
    """Freezes a running job's processes; shared by the thread that runs the job and the thread that freezes it."""

    _pids: Pids = field(default=lambda: (), repr=False)

    def begin(self, pids: Pids) -> None:
        """Register the processes of a started job."""
        self._pids = pids

    def end(self) -> None:
        """Unregister the job, because it has ended."""
        self._pids = lambda: ()

    @contextmanager
    def frozen(self) -> Generator[None]:
        """Freeze the job inside the context; its wall time continues, and it can be killed."""
        try:
            self._stop()
            yield
        finally:
            _send(self._pids(), signal.SIGCONT)

    def _stop(self) -> None:
        """Send SIGSTOP until all processes are stopped, including those that were forked meanwhile."""
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        seen: set[int] = set()
        while True:
            pids = self._pids()
            if seen.issuperset(pids) and all(map(is_frozen, pids)):
                return
            if time.monotonic() > deadline:
                raise InfraTrouble(
                    "The agent's program could not be frozen while its candidate runs.", hint="Resume the run."
                )
            _send(pids, signal.SIGSTOP)
            seen = set(pids)
            time.sleep(_POLL_SECONDS)


def _send(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        # The process may have ended.
        with suppress(ProcessLookupError):
            os.kill(pid, number)
