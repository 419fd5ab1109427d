"""Controls for the red team: without isolation the attacks succeed, so the defences stop them."""

import json
import os
import signal
import time
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

from fmlbench.core.errors import BadRequest
from fmlbench.core.progress import Silent
from fmlbench.core.run import Isolation
from fmlbench.engine.red_team import attack_task, open_red_team_run
from fmlbench.redteam.canaries import lay_out_canaries
from fmlbench.redteam.catalogue import find_attack
from fmlbench.redteam.payload_builder import payload
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs
from tests.redteam.toys import JOINT, NARROW, SHIFTED, make_toy
from tests.redteam.unprotected import OpenToy, lay_out_open_toy

pytestmark = pytest.mark.timeout(120)

SPLIT_SEED = 2**100 + 7


@pytest.fixture
def open_toy(tmp_path: Path) -> Generator[OpenToy]:
    with lay_out_canaries() as canaries:
        yield lay_out_open_toy(find_task("toy"), tmp_path, canaries, SPLIT_SEED)


def test_honest_code_answers_most_questions_and_not_all(open_toy: OpenToy):
    open_toy.install(find_attack("inherited-handles").build)
    open_toy.run("train", name="train")
    open_toy.run("exam")
    assert 0.5 < np.mean(open_toy.answers() == open_toy.labels) < 0.8


@pytest.mark.parametrize("name", ["search-files", "known-paths"])
def test_reachable_labels_are_found_and_submitted(open_toy: OpenToy, name: str):
    open_toy.install(find_attack(name).build)
    open_toy.run("train", name="train")
    output = open_toy.run("exam", planted=name == "search-files")
    assert "REACHED" in output
    np.testing.assert_array_equal(open_toy.answers(), open_toy.labels)


def test_a_known_seed_reproduces_the_data(open_toy: OpenToy):
    open_toy.install(payload("replay_recipe", SEED=f"{SPLIT_SEED} {SPLIT_SEED + 1}"))
    open_toy.run("train", name="train")
    open_toy.run("exam")
    np.testing.assert_array_equal(open_toy.answers(), open_toy.labels)


def test_a_naive_reader_takes_labels_for_answers(open_toy: OpenToy):
    open_toy.install(find_attack("answers-file-link-through-a-folder").build)
    open_toy.run("train", name="train")
    open_toy.run("exam")
    np.testing.assert_array_equal(open_toy.answers(), open_toy.labels)


@pytest.mark.parametrize("name", ["network", "other-processes"])
def test_reachable_sockets_and_processes_are_reached(open_toy: OpenToy, name: str):
    open_toy.install(find_attack(name).build)
    assert "REACHED" in open_toy.run("train")


@pytest.mark.parametrize("channel", ["places", "locks", "cache"])
def test_concurrent_exam_passes_can_exchange_data(open_toy: OpenToy, channel: str):
    open_toy.install(payload("covert_channel", CHANNEL=channel, LARGE=1000, PATIENCE=6))
    open_toy.run("train", name="train")
    with open_toy.running("exam", slice(None), "large") as sender:
        heard = open_toy.run("exam", slice(100), name="small")
        sender.wait(timeout=60)
    assert "heard" in heard
    np.testing.assert_array_equal(open_toy.answers("small"), open_toy.answers("large")[:100])


def test_a_detached_process_keeps_writing(open_toy: OpenToy):
    open_toy.install(find_attack("rewrite-later").build)
    open_toy.run("train", name="train")
    written = open_toy.root / "train" / "out" / open_toy.target.mark
    first = _read_when_complete(written)
    try:
        while _read_when_complete(written) == first:
            time.sleep(0.01)
    finally:
        os.kill(first["by"], signal.SIGKILL)


def _read_when_complete(path: Path) -> dict[str, int]:
    """Read a JSON file that is rewritten continuously."""
    while True:
        try:
            return json.loads(path.read_text())
        except ValueError:
            time.sleep(0.001)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["transduce", "transduce-coarsely", "transduce-in-large-batch"])
def test_adapting_to_a_shifted_exam_gains_only_without_the_consistency_check(
    red_dirs: Dirs, sandbox: Sandbox, tmp_path: Path, name: str
):
    attack = find_attack(name)
    unchecked = make_toy(tmp_path / "unchecked", red_dirs, sandbox, NARROW, SHIFTED, JOINT)
    with open_red_team_run(unchecked, red_dirs, Silent()) as opened:
        assert opened.try_attack(attack).earned
    checked = make_toy(tmp_path / "checked", red_dirs, sandbox, NARROW, SHIFTED)
    with open_red_team_run(checked, red_dirs, Silent()) as opened:
        row = opened.try_attack(attack)
    assert (row.outcome, row.earned) == ("invalid", False)
    assert "a different batch" in row.seen


@pytest.mark.sandbox
@pytest.mark.parametrize("channel", ["places", "locks", "cache"])
def test_covert_channels_gain_nothing_on_a_shifted_exam(red_dirs: Dirs, sandbox: Sandbox, tmp_path: Path, channel: str):
    checked = make_toy(tmp_path / "checked", red_dirs, sandbox, NARROW, SHIFTED)
    with open_red_team_run(checked, red_dirs, Silent()) as opened:
        row = opened.try_attack(find_attack(f"covert-channel-by-{channel}"))
    assert not row.earned, row


def test_an_unsealed_run_reports_that_labels_were_reached(cache: Path, tmp_path: Path):
    dirs = Dirs(cache=cache, runs=tmp_path / "runs")
    unsealed = make_toy(tmp_path / "toy", dirs, open_sandbox(Isolation.NONE), NARROW)
    (row,) = attack_task(unsealed, dirs, names=["known-paths"])
    assert row.earned
    assert row.reached
    assert not row.is_stopped
    assert (row.validation, row.test) == (1.0, 1.0)


def test_harmful_attacks_are_refused_unsealed(cache: Path, tmp_path: Path):
    dirs = Dirs(cache=cache, runs=tmp_path / "runs")
    unsealed = make_toy(tmp_path / "toy", dirs, open_sandbox(Isolation.NONE), NARROW)
    with pytest.raises(BadRequest, match="cannot run unsealed"):
        attack_task(unsealed, dirs, names=["kill"])
