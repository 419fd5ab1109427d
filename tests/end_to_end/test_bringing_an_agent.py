"""Agents as users bring them along, typed on the command line: a program, a model for it, themselves."""

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.testing.models.server import KEY
from fmlbench.testing.models.tool_server import ToolServer
from fmlbench.testing.models.tool_wire import INPUT, OUTPUT
from tests.terminal import START, Terminal

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]

IDEA = "train for three epochs"
ASKER = """
import json, os, socket, subprocess, sys, urllib.error, urllib.request

def ask():
    tool = {"type": "function", "function": {"name": "none"}}
    said = {"model": os.environ["FML_MODEL"], "messages": [], "tools": [tool]}
    key = {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"}
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(said).encode(), key)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

print(dict(os.environ))
print(open(os.environ["FML_PROMPT_FILE"]).read())
subprocess.run(["fml", "status"])
with socket.socket() as way_out:
    print("AROUND THE PROXY:", way_out.connect_ex(("127.0.0.1", PORT)) == 0)
idea = ask()
subprocess.run(["fml", "status"])
subprocess.run(["fml", "submit", "-m", idea])
try:
    ask()
except urllib.error.HTTPError as refusal:
    print("REFUSED:", refusal.code, refusal.read().decode())
"""


def only_run(terminal: Terminal) -> tuple[RunFolder, RunState]:
    (path,) = terminal.runs.iterdir()
    return RunFolder(path), read_state(RunFolder(path))


def test_a_program_on_the_path_is_taken_as_it_is(cache: Path, tmp_path: Path):
    program, folder = tmp_path / "elsewhere" / "codex-of-mine", tmp_path / "bin"
    program.parent.mkdir()
    folder.mkdir()
    program.write_text("#!/bin/sh\nfml submit -m 'found on the path'\n")
    program.chmod(0o755)
    (folder / "codex").symlink_to(program)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    terminal = Terminal(cache, tmp_path / "runs", PATH=path, OPENAI_API_KEY="never used")
    told = terminal.ask("run", "toy", "--agent", "codex", "--steps", "1", "--retest", "0")
    assert told["summary"]["stage"] == "complete"
    _, state = only_run(terminal)
    assert [step.idea for step in state.steps] == ["baseline", "found on the path"]


def test_a_missing_npm_is_told_in_two_lines_before_anything_is_made(tmp_path: Path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bwrap").symlink_to(shutil.which("bwrap") or "")
    settings = {"PATH": str(tmp_path / "bin"), "ANTHROPIC_API_KEY": "never used"}
    terminal = Terminal(tmp_path / "cache", tmp_path / "runs", **settings)
    told = terminal.type("run", "toy", "--agent", "claude-code", code=2).stderr.splitlines()
    assert told == [
        "error: Claude Code is not installed, and npm, which could install it, is missing.",
        "hint:  Install Node.js or Claude Code, or give its path with --set program=PATH.",
    ]
    assert not terminal.runs.exists()


def test_a_program_of_one_s_own_gets_a_metered_model_and_no_key(cache: Path, tmp_path: Path):
    with ToolServer([IDEA]) as server:
        port = server.environment["OPENAI_BASE_URL"].split(":")[2].split("/")[0]
        command = f"python -c {shlex.quote(ASKER.replace('PORT', port))}"
        terminal = Terminal(cache, tmp_path / "runs", **server.environment)
        budget = ("--steps", "2", "--tokens", str(INPUT + OUTPUT), "--dollars", "1.5", "--retest", "0")
        terminal.type("run", "toy", "--agent", "command", "--cmd", command, "--model", "openai/gpt-5.1", *budget)
    folder, state = only_run(terminal)
    assert [step.idea for step in state.steps] == ["baseline", IDEA]
    usage = state.steps[1].usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, INPUT, OUTPUT)
    assert usage.dollars
    assert state.finished == f"the budget of {INPUT + OUTPUT} tokens is spent"
    (heard,) = server.heard
    assert (heard.body["model"], heard.headers["authorization"]) == ("gpt-5.1", f"Bearer {KEY}")
    log = (folder.agent / "log.txt").read_text()
    prompt, before, after = re.findall(r"(\d+) tokens of your model[;,] (\$[\d.]+) for your model", log)
    assert prompt == before == (str(INPUT + OUTPUT), "$1.50")
    assert after == ("0", f"${1.5 - usage.dollars:.2f}")
    assert "AROUND THE PROXY: False" in log
    assert "REFUSED: 400" in log
    assert KEY not in log + (folder.agent / "calls.jsonl").read_text()


def test_a_program_that_ends_well_and_submits_nothing_has_achieved_nothing(cache: Path, tmp_path: Path):
    terminal = Terminal(cache, tmp_path / "runs")
    command = "python -c 'import time\nwhile time.process_time() < 2: pass'; exit 0"
    words = ("run", "toy", "--agent", "command", "--cmd", command, "--steps", "2", "--retest", "0")
    done = terminal.type(*words)
    shown = " ".join((done.stdout + done.stderr).split())
    assert "best step the baseline; no step beat it on validation" in shown
    ending = r"ok: it ended by itself; after \d+ s, \d+ CPU seconds"
    assert re.search(f"0 of 0 have a score; the budget is 2; ended early: {ending}", shown)
    assert re.search(f"The agent ended: {ending}", shown)
    folder, state = only_run(terminal)
    assert [step.idea for step in state.steps] == ["baseline"]
    summary = terminal.ask("show", folder.path.name)["summary"]
    assert (summary["proposed"], summary["succeeded"], summary["best"]["index"]) == (0, 0, 0)
    assert summary["program_cpu_seconds"] >= 1
    assert f"{summary['program_cpu_seconds']:.1f} CPU seconds of the agent program" in shown


class Window:
    """A terminal window with a program in it: what it shows, and keys to press."""

    def __init__(self, keyboard: int, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._keyboard = keyboard
        self._shown = ""
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def press(self, key: bytes) -> None:
        os.write(self._keyboard, key)

    def wait_for(self, pattern: str) -> re.Match[str]:
        with self._news:
            assert self._news.wait_for(lambda: re.search(pattern, self._shown, re.DOTALL), timeout=120), self._shown
            found = re.search(pattern, self._shown, re.DOTALL)
        assert found
        return found

    def wait_for_end(self) -> str:
        self._reader.join()
        assert self.process.wait() == 0, self._shown
        return self._shown

    def _read(self) -> None:
        while True:
            try:
                part = os.read(self._keyboard, 65536)
            except OSError:  # the program closed the window
                return
            with self._news:
                self._shown += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", part.decode()).replace("\r\n", "\n")
                self._news.notify_all()


@contextmanager
def window(terminal: Terminal, *words: str) -> Generator[Window]:
    """A window of the usual width, whose Ctrl-C is a real one."""
    keyboard, screen = pty.openpty()
    command = ["setsid", "--ctty", "--wait", sys.executable, "-c", START, *words]
    try:
        settings = {**terminal.settings, "TERM": "xterm", "COLUMNS": "80"}
        with subprocess.Popen(command, env=settings, stdin=screen, stdout=screen, stderr=screen) as process:
            os.close(screen)
            yield Window(keyboard, process)
    finally:
        os.close(keyboard)


def test_a_person_follows_the_invitation_submits_and_is_done(cache: Path, tmp_path: Path):
    terminal = Terminal(cache, tmp_path / "my runs")
    words = ("run", "toy", "--agent", "human", "--steps", "3", "--retest", "0", "--unsealed")
    with window(terminal, *words) as first:
        typed = first.wait_for(r"Open another terminal and run:\n(.*)Then change the code")[1]
        more = "sed -i s/steps=150/steps=3/ tinylearn/model.py\nfml submit -m 'fewer epochs'\nfml status"
        second = subprocess.run(
            ["bash", "-euc", f"{typed}\n{more}"], capture_output=True, text=True, check=False, env=terminal.settings
        )
        assert "step 1: ok, score 0." in second.stdout, second.stderr
        first.press(b"\x03")
        shown = first.wait_for_end()
    _, state = only_run(terminal)
    assert [step.idea for step in state.steps] == ["baseline", "fewer epochs"]
    assert state.steps[1].usage.seconds > 0
    assert state.finished == "the agent is done"
    assert "UNSEALED" in shown
