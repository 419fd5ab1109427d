"""Kill a run at any time, then resume: nothing logged is lost or repeated."""

import random
import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from tests.endurance.conftest import Play
from tests.endurance.records import essence, experiments_begun, times_logged

NewRun = Callable[[str], RunFolder]

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(900)]


def finish(process: "subprocess.Popen[bytes]") -> int:
    output, _ = process.communicate(timeout=300)
    assert process.returncode in {0, -signal.SIGKILL}, output.decode()
    return process.returncode


def test_a_run_killed_after_every_event_gives_the_same_result(new_run: NewRun, play: Play):
    whole, killed = new_run("whole"), new_run("killed")
    assert finish(play(whole, 0)) == 0
    deaths = 0
    while finish(play(killed, 1)) != 0:
        deaths += 1
        assert deaths < 50, "the run does not get on"
    assert deaths > 20
    assert essence(killed) == essence(whole)
    assert set(times_logged(killed).values()) == {1}
    # The kill after "step started" interrupts the experiment, which is started exactly once more.
    assert max(experiments_begun(killed).values()) == 2


def test_a_run_killed_at_random_times_gives_the_same_result(new_run: NewRun, play: Play):
    kill_at_random(new_run, play, kills=10, seed=1)


@pytest.mark.long
def test_two_hundred_random_kills(new_run: NewRun, play: Play):
    for seed in range(20):
        kill_at_random(new_run, play, kills=10, seed=100 + seed)


def kill_at_random(new_run: NewRun, play: Play, *, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    whole, killed = new_run(f"whole-{seed}"), new_run(f"killed-{seed}")
    started = time.monotonic()
    assert finish(play(whole, 0)) == 0
    whole_seconds = time.monotonic() - started
    for _ in range(kills):
        process = play(killed, 0)
        try:
            process.communicate(timeout=rng.uniform(0.1, 0.5) * whole_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        finish(process)
    assert finish(play(killed, 0)) == 0
    assert read_state(killed).finished
    assert essence(killed) == essence(whole)
    assert set(times_logged(killed).values()) == {1}
