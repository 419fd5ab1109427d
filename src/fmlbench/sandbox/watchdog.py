"""Check a running job against its limits, and record its peak usage."""

import time

from fmlbench.core.task import Limits
from fmlbench.sandbox.processes import UsageMeter
from fmlbench.sandbox.protocol import ExitKind, ExitReason
from fmlbench.sandbox.storage import Storage

_FIRST_INTERVAL_SECONDS = 0.01
_LONGEST_INTERVAL_SECONDS = 0.1
_STORAGE_SHARE = 0.05
"""Measuring folders may take at most this share of one core."""


class Watchdog:
    """Checks every 10 ms at first, because of short jobs, then less often, down to ten times a second."""

    def __init__(self, limits: Limits, meter: UsageMeter, storage: Storage, started: float) -> None:
        self._limits = limits
        self._meter = meter
        self._storage = storage
        self._started = started
        self._interval_seconds = _FIRST_INTERVAL_SECONDS
        self._next_check = started
        self._next_storage_check = started
        self.cpu_seconds = 0.0
        self.peak_memory_bytes = 0

    def seconds_to_next_check(self) -> float:
        """Time until the next check is due."""
        return max(0.0, self._next_check - time.monotonic())

    def check(self) -> ExitReason | None:
        """The exceeded limit, or None; does nothing before the next check is due."""
        now = time.monotonic()
        if now < self._next_check:
            return None
        self._interval_seconds = min(1.5 * self._interval_seconds, _LONGEST_INTERVAL_SECONDS)
        self._next_check = now + self._interval_seconds
        return self._check_oom_kills() or self._check_usage(now) or self._check_storage(now)

    def final_check(self) -> ExitReason | None:
        """The last check, after all processes have ended: the files they left must be within the limits."""
        self.cpu_seconds = max(self.cpu_seconds, self._meter.usage().cpu_seconds)
        return self._check_oom_kills() or self._storage.check()

    def _check_oom_kills(self) -> ExitReason | None:
        """One OOM-killed process ends the job, even if its other processes still run or wait for the killed one."""
        return self._out_of_memory() if self._meter.oom_kills() else None

    def _out_of_memory(self) -> ExitReason:
        return ExitReason(ExitKind.OUT_OF_MEMORY, f"used more than {self._limits.memory_mb} MB of memory")

    def _check_usage(self, now: float) -> ExitReason | None:
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

    def _check_storage(self, now: float) -> ExitReason | None:
        if now < self._next_storage_check:
            return None
        exit_reason = self._storage.check(self._meter.pids())
        cost_seconds = time.monotonic() - now
        self._next_storage_check = now + cost_seconds / _STORAGE_SHARE
        return exit_reason
