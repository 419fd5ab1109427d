"""A sweep on two nodes of Ray, one of which dies in the middle, ends as if nothing had happened."""

import time
from pathlib import Path

import pytest

from tests.engines.clusters import RAY_ADDRESS, RAY_SETTINGS, ray_nodes
from tests.sweeps import Bench, assert_same, players_in

pytestmark = [pytest.mark.engines, pytest.mark.sandbox, pytest.mark.timeout(1800)]


def test_a_node_that_dies_changes_nothing(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in RAY_SETTINGS.items():
        monkeypatch.setenv(name, value)
    bench = Bench(cache, tmp_path, f'[ray]\naddress = "{RAY_ADDRESS}"')
    assert bench.ask("whole", "start")["states"]["complete"] == 4
    with ray_nodes(tmp_path) as kill_second_node:
        started = time.monotonic()
        sweep = bench.sweep("killed", "start", "--engine", "ray")
        while len(list(players_in(bench.folder / "killed"))) < 2:
            assert sweep.poll() is None, sweep.communicate()[1]
            time.sleep(0.2)
        time.sleep(4)
        kill_second_node()
        _, err = sweep.communicate(timeout=1200)
        print(f"\nray: {time.monotonic() - started:.0f} s with one node killed")
        assert sweep.returncode == 0, err
        status = bench.ask("killed", "status")
        print("ray:", status["states"], status["failures"])
        assert status["states"]["complete"] == 4
        assert_same(bench.runs("whole"), bench.runs("killed"))
    assert list(players_in(bench.folder)) == []


def test_ctrl_c_ends_the_players(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in RAY_SETTINGS.items():
        monkeypatch.setenv(name, value)
    bench = Bench(cache, tmp_path, f'[ray]\naddress = "{RAY_ADDRESS}"')
    with ray_nodes(tmp_path):
        sweep = bench.sweep("runs", "start", "--engine", "ray")
        while not list(players_in(bench.folder)):
            assert sweep.poll() is None, sweep.communicate()[1]
            time.sleep(0.2)
        time.sleep(2)
        sweep.send_signal(2)
        _, err = sweep.communicate(timeout=300)
        assert sweep.returncode == 130, err
        assert list(players_in(bench.folder)) == []
        assert bench.ask("runs", "status")["failures"] == {}
