"""Holds a running job against its limits, and remembers the most it used."""

import time

from fmlbench.core.task import Limits
from fmlbench.sandbox.processes import UsageMeter
from fmlbench.sandbox.protocol import ExitKind, ExitReason
from fmlbench.sandbox.storage import Storage

_FIRST_INTERVAL_SECONDS = 0.01
_LONGEST_INTERVAL_SECONDS = 0.1
_STORAGE_SHARE = 0.05
"""Walking through folders may take this share of a core, no more."""


class Watchdog:
    """Looks often at first, for short jobs, then ten times a second."""

    def __init__(self, limits: Limits, meter: UsageMeter, storage: Storage, started: float) -> None:
        self._limits = limits
        self._meter = meter
        self._storage = storage
        self._started = started
        self._interval_seconds = _FIRST_INTERVAL_SECONDS
        self._next_look = started
        self._next_storage_look = started
        self.cpu_seconds = 0.0
        self.peak_memory_bytes = 0

    def seconds_to_next_look(self) -> float:
        """How long nothing needs to be done."""
        return max(0.0, self._next_look - time.monotonic())

    def look(self) -> ExitReason | None:
        """Return what the job must be ended for, if anything; does nothing before its time."""
        now = time.monotonic()
        if now < self._next_look:
            return None
        self._interval_seconds = min(1.5 * self._interval_seconds, _LONGEST_INTERVAL_SECONDS)
        self._next_look = now + self._interval_seconds
        return self._judge_oom_kills() or self._judge_usage(now) or self._judge_storage(now)

    def look_at_the_end(self) -> ExitReason | None:
        """The last look, when all processes are gone: what they left must be within bounds however they ended."""
        self.cpu_seconds = max(self.cpu_seconds, self._meter.usage().cpu_seconds)
        return self._judge_oom_kills() or self._storage.judge()

    def _judge_oom_kills(self) -> ExitReason | None:
        """A job that has lost a part of itself has used too much, even if it goes on, or waits for the dead."""
        return self._out_of_memory() if self._meter.oom_kills() else None

    def _out_of_memory(self) -> ExitReason:
        return ExitReason(ExitKind.OUT_OF_MEMORY, f"used more than {self._limits.memory_mb} MB of memory")

    def _judge_usage(self, now: float) -> ExitReason | None:
        limits = self._limits
        usage = self._meter.usage()
        self.cpu_seconds = max(self.cpu_seconds, usage.cpu_seconds)
        self.peak_memory_bytes = max(self.peak_memory_bytes, usage.memory_bytes)
        if usage.cpu_seconds > limits.cpu_seconds:
            return ExitReason(ExitKind.TIMEOUT, f"used more than {limits.cpu_seconds:g} CPU seconds")
        if now - self._started > limits.wall_seconds:
            return ExitReason(ExitKind.TIMEOUT, f"ran for more than {limits.wall_seconds:g} seconds")
        if usage.memory_bytes > limits.memory_mb * 2**20:
            return self._out_of_memory()
        if usage.processes > limits.processes:
            return ExitReason(ExitKind.CRASHED, f"had more than {limits.processes} processes and threads at once")
        return None

    def _judge_storage(self, now: float) -> ExitReason | None:
        if now < self._next_storage_look:
            return None
        verdict = self._storage.judge(self._meter.pids())
        cost_seconds = time.monotonic() - now
        self._next_storage_look = now + cost_seconds / _STORAGE_SHARE
        return verdict
