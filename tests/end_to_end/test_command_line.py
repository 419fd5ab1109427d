"""The commands of the README, on the toy task, as a user types them."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fmlbench.sandbox.cgroups import groups_of
from fmlbench.tasks.library import find_task
from tests.terminal import START, Terminal, run
from tests.unprivileged_user import AS_UNPRIVILEGED, UNPRIVILEGED_UID

PROJECT = Path(__file__).parent.parent.parent

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]


@pytest.fixture
def terminal(cache: Path, tmp_path: Path) -> Terminal:
    return Terminal(cache, tmp_path / "my runs")


def test_an_agent_researches_and_everything_can_be_looked_at(terminal: Terminal):
    told = terminal.ask("run", "toy", "--agent", "oracle", "--steps", "1", "--retest", "2")
    assert told["summary"]["stage"] == "complete"
    (listed,) = terminal.ask("runs")
    name = Path(listed["folder"]).name
    shown = terminal.ask("show", name)
    assert [step["outcome"] for step in shown["steps"]] == ["ok", "ok"]
    assert shown["steps"][1]["score"] > shown["steps"][0]["score"]
    assert "products" in terminal.type("show", name, "--diff", "1").stdout
    assert "training accuracy" in terminal.type("show", name, "--log", "1").stdout
    assert "sealed test" in terminal.type("resume", name).stdout
    again = terminal.type("run", "toy", "--agent", "oracle", "--steps", "1", "--retest", "2", code=2)
    assert "--label" in again.stderr


def test_a_run_can_be_read_where_its_task_is_gone(terminal: Terminal, tmp_path: Path):
    mine = Path(shutil.copytree(find_task("toy").path, tmp_path / "tasks" / "mine"))
    terminal.type("run", str(mine), "--agent", "noop", "--steps", "1", "--retest", "0")
    shutil.rmtree(mine)
    (listed,) = terminal.ask("runs")
    shown = terminal.ask("show", Path(listed["folder"]).name)
    assert [step["outcome"] for step in shown["steps"]] == ["ok", "ok"]


def test_the_brief_tells_what_the_paper_asks_for(terminal: Terminal):
    brief = terminal.ask("brief", "toy")
    assert brief["metric"]["goal"] == "maximize"
    assert "tinylearn/model.py" in brief["repository"]
    assert brief["suggested"]
    assert brief["protected"]
    assert brief["commands"][0]["limits"]["cpu_seconds"] > 0
    assert "tinylearn" in terminal.type("brief", "toy").stdout


def test_listings(terminal: Terminal):
    assert "toy" in [task["name"] for task in terminal.ask("tasks", "list")]
    assert "greedy" in [agent["name"] for agent in terminal.ask("agents")]
    assert terminal.ask("doctor")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_says_how_to_go_on_and_does(terminal: Terminal, number: signal.Signals, code: int):
    command = [sys.executable, "-c", START, "run", "toy", "--agent", "noop", "--steps", "3", "--retest", "0"]
    with subprocess.Popen(command, env=terminal.settings, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        seen = ""
        while "step 1/3" not in seen:
            line = process.stderr.readline()
            assert line, seen
            seen += line
        process.send_signal(number)
        seen += process.stderr.read()
    assert process.returncode == code, seen
    assert "resume with: fmlbench resume" in seen
    name = next(terminal.runs.iterdir()).name
    assert terminal.ask("resume", name)["summary"]["stage"] == "complete"


def test_a_retest_that_is_stopped_ends_at_once_and_leaves_nothing(terminal: Terminal):
    command = [sys.executable, "-c", START, "run", "toy", "--agent", "oracle", "--steps", "1", "--retest", "40"]
    with subprocess.Popen(command, env=terminal.settings, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        while "retested" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.stderr.read()
    assert process.returncode == 130
    name = next(terminal.runs.iterdir()).name
    assert terminal.ask("show", name)["summary"]["stage"] != "complete"
    assert groups_of(name) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_gets_a_sealed_run(home_of_nobody: Path):
    """With an installation, a cache and runs of their own; the machine's Python, because ours may lie in /root."""
    system = shutil.which("python3", path="/usr/bin")
    assert system, "this test needs the distribution's Python"
    home = home_of_nobody
    python = home / "venv" / "bin" / "python"
    subprocess.run([system, "-m", "venv", "--without-pip", home / "venv"], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--retries", "10"]
    subprocess.run([*pip, str(PROJECT), "pip"], check=True)
    subprocess.run(["chown", "-R", f"{UNPRIVILEGED_UID}:{UNPRIVILEGED_UID}", str(home)], check=True)
    settings = {**os.environ, "HOME": str(home), "FMLBENCH_CACHE": f"{home}/cache", "FMLBENCH_RUNS": f"{home}/runs"}
    words = ["run", "toy", "--agent", "oracle", "--steps", "1", "--retest", "0", "--json"]
    done = run([*AS_UNPRIVILEGED, str(python), "-c", START, *words], settings)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)["summary"]
    assert summary["stage"] == "complete"
