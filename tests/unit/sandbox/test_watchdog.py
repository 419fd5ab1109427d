"""The watchdog reports exceeded limits, and measures no more often than necessary."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fmlbench.core.task import Limits
from fmlbench.sandbox.processes import ProcessUsage
from fmlbench.sandbox.protocol import ExitKind, ExitReason
from fmlbench.sandbox.storage import Storage
from fmlbench.sandbox.watchdog import Watchdog

LIMITS = Limits(cpu_seconds=10, wall_seconds=100, memory_mb=200, processes=4)
MODEST = ProcessUsage(cpu_seconds=1, memory_bytes=2**20, processes=1)


@dataclass
class ScriptedMeter:
    """A meter with scripted values."""

    now: ProcessUsage = MODEST
    killed: int = 0
    looks: list[ProcessUsage] = field(default_factory=list[ProcessUsage])

    def pids(self) -> list[int]:
        return []

    def usage(self) -> ProcessUsage:
        self.looks.append(self.now)
        return self.now

    def oom_kills(self) -> int:
        return self.killed


Watch = Callable[..., Watchdog]


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    def make(meter: ScriptedMeter, *, began_seconds_ago: float = 0.0) -> Watchdog:
        started = time.monotonic() - began_seconds_ago
        return Watchdog(LIMITS, meter, Storage([tmp_path], lambda: 0, LIMITS), started)

    return make


def test_a_job_within_its_limits_continues(watch: Watch) -> None:
    assert watch(ScriptedMeter()).check() is None


@pytest.mark.parametrize(
    ("usage", "verdict"),
    [
        (ProcessUsage(10.1, 0, 1), ExitReason(ExitKind.TIMEOUT, "used more than 10 CPU seconds")),
        (ProcessUsage(0, 200 * 2**20 + 1, 1), ExitReason(ExitKind.OUT_OF_MEMORY, "used more than 200 MB of memory")),
        (ProcessUsage(0, 0, 5), ExitReason(ExitKind.CRASHED, "had more than 4 processes and threads at once")),
    ],
)
def test_each_limit_has_its_own_reason(watch: Watch, usage: ProcessUsage, verdict: ExitReason) -> None:
    assert watch(ScriptedMeter(usage)).check() == verdict


def test_limits_may_be_reached_exactly(watch: Watch) -> None:
    assert watch(ScriptedMeter(ProcessUsage(10, 200 * 2**20, 4))).check() is None


def test_a_job_that_takes_too_long_is_ended(watch: Watch) -> None:
    verdict = watch(ScriptedMeter(), began_seconds_ago=101).check()
    assert verdict == ExitReason(ExitKind.TIMEOUT, "ran for more than 100 seconds")


def test_one_oom_killed_process_ends_the_job(watch: Watch) -> None:
    expected = ExitReason(ExitKind.OUT_OF_MEMORY, "used more than 200 MB of memory")
    assert watch(ScriptedMeter(killed=1)).check() == expected
    assert watch(ScriptedMeter(killed=1)).final_check() == expected


def test_peak_usage_is_recorded(watch: Watch) -> None:
    meter = ScriptedMeter(ProcessUsage(1, 100 * 2**20, 1))
    watchdog = watch(meter)
    watchdog.check()
    meter.now = ProcessUsage(3, 0, 0)
    watchdog.final_check()
    assert (watchdog.cpu_seconds, watchdog.peak_memory_bytes) == (3, 100 * 2**20)


def test_nothing_is_measured_before_the_next_check(watch: Watch) -> None:
    meter = ScriptedMeter()
    watchdog = watch(meter, began_seconds_ago=-1000)
    assert watchdog.check() is None
    assert meter.looks == []
    assert watchdog.seconds_to_next_check() > 900
