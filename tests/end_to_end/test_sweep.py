"""A sweep on this machine, with workers killed at random, ends as if nothing had happened."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.sweeps import Bench, assert_same, players_in

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(900)]


@pytest.fixture
def bench(cache: Path, tmp_path: Path) -> Bench:
    return Bench(cache, tmp_path)


def kill_at_random(process: "subprocess.Popen[str]", folder: Path, rng: random.Random, kills: int) -> int:
    """Kill runners until the sweep is over; return how many died."""
    killed = 0
    while process.poll() is None:
        time.sleep(rng.uniform(0.2, 1.5))
        runners = sorted(players_in(folder))
        if runners and killed < kills:
            os.kill(rng.choice(runners), signal.SIGKILL)
            killed += 1
    return killed


def test_killed_workers_and_a_killed_sweep_change_nothing(bench: Bench):
    rng = random.Random(7)
    undisturbed = bench.ask("whole", "start")
    assert undisturbed["states"]["complete"] == 4
    first = bench.sweep("killed")
    time.sleep(rng.uniform(3, 6))
    first.kill()
    first.communicate()
    second = bench.sweep("killed")
    killed = kill_at_random(second, bench.folder / "killed", rng, kills=8)
    _, err = second.communicate()
    assert second.returncode == 0, err
    assert killed >= 4
    assert_same(bench.runs("whole"), bench.runs("killed"))
    assert list(players_in(bench.folder)) == []
    disturbed = bench.ask("killed", "status")
    assert disturbed["failures"]["killed"] >= 1
    assert [group["improvement"] for group in disturbed["groups"]] == [
        group["improvement"] for group in undisturbed["groups"]
    ]


def test_ctrl_c_ends_the_players_and_the_sweep_goes_on_later(bench: Bench):
    sweep = bench.sweep("runs")
    while not list(players_in(bench.folder)):
        assert sweep.poll() is None
        time.sleep(0.1)
    time.sleep(3)
    sweep.send_signal(signal.SIGINT)
    _, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 130
    assert "continue with: fmlbench sweep" in err
    assert list(players_in(bench.folder)) == []
    stopped = bench.ask("runs", "status")
    assert stopped["states"]["complete"] < 4
    assert stopped["failures"] == {}
    assert bench.ask("runs", "start")["states"]["complete"] == 4


def test_a_cancelled_sweep_ends_everywhere_at_the_next_heartbeat(bench: Bench):
    sweep = bench.sweep("runs")
    while not list((bench.folder / "runs").glob("*/lease.*")):
        assert sweep.poll() is None
        time.sleep(0.1)
    cancelled, _ = bench.sweep("runs", "cancel").communicate(timeout=120)
    assert "cancelled" in cancelled
    sweep.communicate(timeout=300)
    status = bench.ask("runs", "status")
    assert status["states"]["cancelled"] >= 2
    assert status["failures"] == {}
    assert list(players_in(bench.folder)) == []
    bench.sweep("runs", "retry").communicate(timeout=120)
    assert bench.ask("runs", "status")["states"]["cancelled"] == 0
