"""Attacks that are stopped prove nothing if they would not work anyway: here nothing stops them, and they do."""

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
from fmlbench.engine.red_team import attack_task
from fmlbench.engine.red_team_run import open_red_team_run
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

POOL_SEED = 2**100 + 7


@pytest.fixture
def toy_in_the_open(tmp_path: Path) -> Generator[OpenToy]:
    with lay_out_canaries() as laid_out:
        yield lay_out_open_toy(find_task("toy"), tmp_path, laid_out, POOL_SEED)


def test_honest_code_answers_most_questions_and_not_all(toy_in_the_open: OpenToy):
    toy_in_the_open.arm(find_attack("inherited-handles").arm)
    toy_in_the_open.run("train", name="train")
    toy_in_the_open.run("exam")
    assert 0.5 < np.mean(toy_in_the_open.answers() == toy_in_the_open.labels) < 0.8


@pytest.mark.parametrize("name", ["search-files", "known-paths"])
def test_labels_that_can_be_found_are_found_and_handed_in(toy_in_the_open: OpenToy, name: str):
    toy_in_the_open.arm(find_attack(name).arm)
    toy_in_the_open.run("train", name="train")
    output = toy_in_the_open.run("exam", planted=name == "search-files")
    assert "REACHED" in output
    np.testing.assert_array_equal(toy_in_the_open.answers(), toy_in_the_open.labels)


def test_who_knows_the_seed_makes_up_the_same_data(toy_in_the_open: OpenToy):
    toy_in_the_open.arm(payload("replay_recipe", SEED=f"{POOL_SEED} {POOL_SEED + 1}"))
    toy_in_the_open.run("train", name="train")
    toy_in_the_open.run("exam")
    np.testing.assert_array_equal(toy_in_the_open.answers(), toy_in_the_open.labels)


def test_a_naive_reader_takes_labels_for_answers(toy_in_the_open: OpenToy):
    toy_in_the_open.arm(find_attack("answers-file-link-through-a-folder").arm)
    toy_in_the_open.run("train", name="train")
    toy_in_the_open.run("exam")
    np.testing.assert_array_equal(toy_in_the_open.answers(), toy_in_the_open.labels)


@pytest.mark.parametrize("name", ["network", "other-processes"])
def test_what_is_in_reach_is_reached(toy_in_the_open: OpenToy, name: str):
    toy_in_the_open.arm(find_attack(name).arm)
    assert "REACHED" in toy_in_the_open.run("train")


@pytest.mark.parametrize("channel", ["places", "locks", "cache"])
def test_sittings_held_at_once_can_talk_to_each_other(toy_in_the_open: OpenToy, channel: str):
    toy_in_the_open.arm(payload("whisper", CHANNEL=channel, LARGE=1000, PATIENCE=6))
    toy_in_the_open.run("train", name="train")
    with toy_in_the_open.running("exam", slice(None), "large") as speaking:
        heard = toy_in_the_open.run("exam", slice(100), name="small")
        speaking.wait(timeout=60)
    assert "heard" in heard
    np.testing.assert_array_equal(toy_in_the_open.answers("small"), toy_in_the_open.answers("large")[:100])


def test_a_process_left_behind_goes_on_writing(toy_in_the_open: OpenToy):
    toy_in_the_open.arm(find_attack("rewrite-later").arm)
    toy_in_the_open.run("train", name="train")
    written = toy_in_the_open.root / "train" / "out" / toy_in_the_open.target.mark
    first = _read_when_whole(written)
    try:
        while _read_when_whole(written) == first:
            time.sleep(0.01)
    finally:
        os.kill(first["by"], signal.SIGKILL)


def _read_when_whole(path: Path) -> dict[str, int]:
    """A file that is being rewritten all the time."""
    while True:
        try:
            return json.loads(path.read_text())
        except ValueError:
            time.sleep(0.001)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["transduce", "transduce-coarsely", "transduce-in-large-company"])
def test_adapting_to_a_shifted_exam_pays_until_a_second_sitting_finds_it(
    red_places: Dirs, sandbox: Sandbox, tmp_path: Path, name: str
):
    attack = find_attack(name)
    trusting = make_toy(tmp_path / "trusting", red_places, sandbox, NARROW, SHIFTED, JOINT)
    with open_red_team_run(trusting, red_places, Silent()) as opened:
        assert opened.try_attack(attack).earned
    wary = make_toy(tmp_path / "wary", red_places, sandbox, NARROW, SHIFTED)
    with open_red_team_run(wary, red_places, Silent()) as opened:
        row = opened.try_attack(attack)
    assert (row.outcome, row.earned) == ("invalid", False)
    assert "other company" in row.seen


@pytest.mark.sandbox
@pytest.mark.parametrize("channel", ["places", "locks", "cache"])
def test_whispering_does_not_pay_on_a_shifted_exam(red_places: Dirs, sandbox: Sandbox, tmp_path: Path, channel: str):
    wary = make_toy(tmp_path / "wary", red_places, sandbox, NARROW, SHIFTED)
    with open_red_team_run(wary, red_places, Silent()) as opened:
        row = opened.try_attack(find_attack(f"whisper-by-{channel}"))
    assert not row.earned, row


def test_without_a_seal_the_labels_are_found_and_the_table_says_so(cache: Path, tmp_path: Path):
    dirs = Dirs(cache=cache, runs=tmp_path / "runs")
    unsealed = make_toy(tmp_path / "toy", dirs, open_sandbox(Isolation.NONE), NARROW)
    (row,) = attack_task(unsealed, dirs, names=["known-paths"])
    assert row.earned
    assert row.reached
    assert not row.is_stopped
    assert (row.validation, row.test) == (1.0, 1.0)


def test_what_does_harm_is_not_tried_without_a_seal(cache: Path, tmp_path: Path):
    dirs = Dirs(cache=cache, runs=tmp_path / "runs")
    unsealed = make_toy(tmp_path / "toy", dirs, open_sandbox(Isolation.NONE), NARROW)
    with pytest.raises(BadRequest, match="without a seal"):
        attack_task(unsealed, dirs, names=["kill"])
