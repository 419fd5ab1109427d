"""A sweep on this machine, with workers killed at random, ends as if nothing had happened."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fmlbench.execution.cgroups import groups_of
from fmlbench.records.folder import RunFolder
from tests.endurance.conftest import SCRIPT
from tests.endurance.records import essence, times_logged

START = "from fmlbench.cli.app import main; main()"

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(900)]

STUDY = """
tasks = ["toy"]
agents = [{{ name = "scripted", settings = {{ script = "{script}" }} }}, "noop"]
seeds = 2
retest = 1
budget = {{ steps = {steps} }}
retry = {{ failures = 5, pause_seconds = 0.1 }}
"""


class Bench:
    """A study, and a terminal to sweep it from into one folder or another."""

    def __init__(self, cache: Path, folder: Path) -> None:
        self.folder = folder
        self.study = folder / "study.toml"
        self._cache = cache
        script = folder / "script.json"
        script.write_text(json.dumps(SCRIPT))
        self.study.write_text(STUDY.format(script=script, steps=len(SCRIPT)))

    def sweep(self, runs: str, *words: str) -> "subprocess.Popen[str]":
        settings = {**os.environ, "FMLBENCH_CACHE": str(self._cache), "FMLBENCH_RUNS": str(self.folder / runs)}
        command = [sys.executable, "-c", START, "sweep", *(words or ("start",)), str(self.study)]
        return subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, runs: str, *words: str) -> Any:
        out, err = self.sweep(runs, *words, "--json").communicate(timeout=600)
        assert out, err
        return json.loads(out)

    def runs(self, name: str) -> dict[str, RunFolder]:
        return {path.parent.name: RunFolder(path.parent) for path in sorted((self.folder / name).glob("*/run.json"))}


@pytest.fixture
def bench(cache: Path, tmp_path: Path) -> Bench:
    return Bench(cache, tmp_path)


def players_in(folder: Path) -> Iterator[int]:
    """The processes that have a run of this folder on their command line."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"resume" in words and any(word.startswith(os.fsencode(folder)) for word in words):
            yield int(process.name)


def kill_at_random(process: "subprocess.Popen[str]", folder: Path, dice: random.Random, kills: int) -> int:
    """Kill players until the sweep is over; return how many died."""
    killed = 0
    while process.poll() is None:
        time.sleep(dice.uniform(0.2, 1.5))
        players = sorted(players_in(folder))
        if players and killed < kills:
            os.kill(dice.choice(players), signal.SIGKILL)
            killed += 1
    return killed


def assert_same(whole: dict[str, RunFolder], other: dict[str, RunFolder]) -> None:
    assert whole.keys() == other.keys()
    for name, folder in other.items():
        assert essence(folder) == essence(whole[name])
        assert set(times_logged(folder).values()) == {1}
        assert groups_of(name) == []


def test_killed_workers_and_a_killed_sweep_change_nothing(bench: Bench):
    dice = random.Random(7)
    undisturbed = bench.ask("whole", "start")
    assert undisturbed["states"]["complete"] == 4
    first = bench.sweep("killed")
    time.sleep(dice.uniform(3, 6))
    first.kill()
    first.communicate()
    second = bench.sweep("killed")
    killed = kill_at_random(second, bench.folder / "killed", dice, kills=8)
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
    assert "go on with: fmlbench sweep" in err
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
