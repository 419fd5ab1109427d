"""From a real run to its metrics, its export and its verification."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sandbox


class Machine:
    """A cache and a folder of runs, and the command line that works in them."""

    def __init__(self, cache: Path, runs: Path) -> None:
        self._variables = {**os.environ, "FMLBENCH_CACHE": str(cache), "FMLBENCH_RUNS": str(runs)}

    def call(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "fmlbench", *words],
            env=self._variables,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def machine(cache: Path, runs: Path) -> Machine:
    machine = Machine(cache, runs)
    machine.call("run", "toy", "--steps", "1", "--retest", "1")
    return machine


@pytest.fixture(scope="module")
def bundle(machine: Machine, runs: Path) -> Path:
    machine.call("export", "toy", "-o", str(runs / "toy.tar.gz"))
    return runs / "toy.tar.gz"


def test_a_run_is_measured(machine: Machine):
    (measured,) = json.loads(machine.call("metrics", "toy", "--json"))
    assert measured["embedder"].startswith("offline-")
    assert measured["values"]["steps_ok"] == 1.0
    assert "steps_ok," in machine.call("metrics", "greedy", "--format", "csv")


def test_every_score_is_reproduced(machine: Machine, bundle: Path):
    for word in ("toy", str(bundle)):
        told = machine.call("verify", word)
        assert "reproduced" in told
        assert "different" not in told


def test_another_machine_needs_the_secret_and_then_agrees(bundle: Path, cache: Path, tmp_path: Path):
    elsewhere = tmp_path / "cache"
    elsewhere.mkdir()
    (elsewhere / "environments").symlink_to(cache / "environments")
    other = Machine(elsewhere, tmp_path / "runs")
    assert "--secret" in other.call("verify", str(bundle), code=2)
    assert "cannot be read" in other.call("verify", str(bundle), "--secret", str(tmp_path / "nothing"), code=2)
    assert "is not a valid secret file" in other.call("verify", str(bundle), "--secret", str(bundle), code=2)
    assert "different" not in other.call("verify", str(bundle), "--secret", str(cache / "secret"))


def test_hidden_scores_stay_hidden_while_a_run_goes_on(machine: Machine, runs: Path):
    (run,) = [path.parent for path in runs.glob("*/run.json")]
    log = run / "events.jsonl"
    whole = log.read_text()
    assert "hidden test" in machine.call("verify", "toy", "--json")
    log.write_text("".join(line for line in whole.splitlines(keepends=True) if '"run-finished"' not in line))
    try:
        told = machine.call("verify", "toy", "--json")
    finally:
        log.write_text(whole)
    assert "step 1, validation" in told
    assert "hidden test" not in told
    assert "retest" not in told


def test_a_score_that_was_touched_up_is_found(machine: Machine, runs: Path):
    (run,) = [path.parent for path in runs.glob("*/run.json")]
    log = run / "events.jsonl"
    honest = log.read_text()
    lines = honest.splitlines()
    (place,) = [number for number, line in enumerate(lines) if '"step-finished"' in line and '"index":1' in line]
    event = json.loads(lines[place])
    event["step"]["evaluation"]["score"] = 0.99
    lines[place] = json.dumps(event)
    log.write_text("\n".join(lines) + "\n")
    try:
        assert "step 1, validation" in machine.call("verify", "toy", code=1)
    finally:
        log.write_text(honest)


def test_a_score_without_answers_is_not_confirmed(machine: Machine, runs: Path):
    (run,) = [path.parent for path in runs.glob("*/run.json")]
    answers = next((run / "steps").rglob("answers.npy"))
    kept = answers.read_bytes()
    answers.unlink()
    try:
        assert "answers not kept" in machine.call("verify", "toy", code=1)
    finally:
        answers.write_bytes(kept)


def test_a_record_cannot_name_the_code_that_checks_it(machine: Machine, runs: Path, tmp_path: Path):
    (run,) = [path.parent for path in runs.glob("*/run.json")]
    spec = (run / "run.json").read_text()
    facts = json.loads(spec)
    facts["task"], facts["isolation"] = str(tmp_path / "evil"), "none"
    (run / "run.json").write_text(json.dumps(facts))
    try:
        assert "--task FOLDER" in machine.call("verify", str(run), code=2)
    finally:
        (run / "run.json").write_text(spec)


def test_a_run_of_another_machine_is_not_resumed(machine: Machine, runs: Path, cache: Path, tmp_path: Path):
    (run,) = [path.parent for path in runs.glob("*/run.json")]
    copy = tmp_path / "runs" / run.name
    shutil.copytree(run, copy)
    log = copy / "events.jsonl"
    log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if "run-finished" not in line))
    elsewhere = tmp_path / "cache"
    elsewhere.mkdir()
    (elsewhere / "environments").symlink_to(cache / "environments")
    assert "another machine" in Machine(elsewhere, tmp_path / "runs").call("resume", run.name, code=2)
