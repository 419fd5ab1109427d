"""Agents that are programs of their own, in the real sandbox, on the toy task."""

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from fmlbench.agents.catalogue import agent_spec
from fmlbench.core.errors import AgentFailed
from fmlbench.core.progress import Silent
from fmlbench.core.run import Budget, Rung, RunSpec
from fmlbench.engine.runner import create, play
from fmlbench.execution.cgroups import groups_of
from fmlbench.execution.prepared import PreparedTask
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import RunState, read_state
from fmlbench.workspace.places import Places

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]

FASTER = "sed -i 's/steps=150/steps=3/' tinylearn/model.py"

FORGER = """
import os, socket
desk = os.open("/lab/desk", os.O_RDONLY)
for words in (b"", b"x" * 99, b'{"ask": "sealed"}\\n', b'{"ask": "diff", "step": 1e9}\\n'):
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(f"/proc/self/fd/{desk}/socket")
        caller.sendall(words)
        caller.shutdown(socket.SHUT_WR)
        print(caller.recv(300))
"""
ONCE = """
if test $(fml status | grep -c ^step) = 1; then fml submit -m first; sleep 300; fi
fml submit -m second
"""
PLAYER = """
import sys
from pathlib import Path
from fmlbench.core.progress import Silent
from fmlbench.engine.runner import play
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.places import Places
cache, runs, run = map(Path, sys.argv[1:])
play(RunFolder(run), places=Places(cache=cache, runs=runs), progress=Silent(), watch=lambda _: None)
"""

Run = Callable[..., RunFolder]


@pytest.fixture
def make(toy: PreparedTask, places: Places) -> Run:
    def create_run(command: str, *, steps: int = 2, hours: float | None = None, rung: Rung = Rung.BUBBLEWRAP):
        spec = RunSpec(
            task="toy",
            task_digest=toy.folder.digest,
            track="cpu",
            agent=agent_spec("command", {"cmd": command}),
            seed=0,
            budget=Budget(steps=steps, hours=hours),
            rung=rung,
            retest_seeds=0,
        )
        return create(spec, places)

    return create_run


def play_out(folder: RunFolder, places: Places) -> tuple[RunState, str]:
    play(folder, places=places, progress=Silent(), watch=lambda _: None)
    return read_state(folder), (folder.agent / "log.txt").read_text("utf-8", "replace")


@pytest.mark.parametrize("rung", [Rung.BUBBLEWRAP, Rung.NONE])
def test_a_program_edits_submits_and_gets_scores(make: Run, places: Places, rung: Rung):
    command = f'fml submit -m "as it is" && {FASTER} && fml submit -m "fewer epochs" --print-metric && fml status'
    state, log = play_out(make(command, rung=rung), places)
    assert [step.idea for step in state.steps] == ["baseline", "as it is", "fewer epochs"]
    assert all(step.evaluation.is_ok for step in state.steps)
    assert state.steps[1].score == state.steps[0].score != state.steps[2].score
    assert f"accuracy: {state.steps[2].score}" in log
    assert sorted(state.tests) == [0, 1, 2]


def test_trying_gives_a_practice_score_and_costs_nothing(make: Run, places: Places):
    state, log = play_out(make("fml try"), places)
    assert "practice: ok, score 0." in log
    assert len(state.steps) == 1


def test_it_can_go_back_to_an_earlier_step_and_add_files(make: Run, places: Places):
    command = (
        "echo 'raise ValueError(1)' > tinylearn/extra.py && echo 'import tinylearn.extra' >> tinylearn/model.py && "
        "fml submit -m broken; echo code $?; fml checkout 0 && test ! -e tinylearn/extra.py && fml submit -m back"
    )
    state, log = play_out(make(command), places)
    assert [str(step.evaluation.outcome) for step in state.steps] == ["ok", "crashed", "ok"]
    assert "code 1" in log
    assert "ValueError: 1" in log
    assert state.steps[2].move.parents == (0,)
    assert state.steps[2].score == state.steps[0].score


def test_protected_files_are_not_taken_and_it_is_on_record(make: Run, places: Places):
    state, log = play_out(make("echo x >> README.md; fml submit -m sneaky", steps=1), places)
    assert "Not taken, because they are not editable: README.md" in log
    assert state.steps[1].score == state.steps[0].score
    assert "README.md" in next(note.text for note in state.notes if note.kind == "protected")


def test_ten_submissions_at_once_spend_no_more_than_the_budget(make: Run, places: Places):
    command = "for i in 1 2 3 4 5 6 7 8 9 10; do fml submit -m $i & done; wait"
    state, _ = play_out(make(command, steps=2), places)
    assert len(state.steps) == 3


def test_forged_messages_get_an_answer_and_nothing_else(make: Run, places: Places):
    forge = f"python -c {shlex.quote(FORGER)}"
    state, log = play_out(make(f"{forge}; fml submit -m honest", steps=1), places)
    assert log.count('"ok":false') == 4
    assert len(state.steps) == 2


def test_a_program_finds_no_labels_no_scores_no_keys_and_no_network(
    make: Run, places: Places, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SECRET_API_KEY", "key-of-the-house")
    search = (
        "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -R / 2>/dev/null; "
        "find / -name 'sealed.jsonl' -o -name 'labels' -type d -o -name secret -o -name events.jsonl 2>/dev/null | "
        "sed 's/^/FOUND /'; cat /proc/net/tcp | wc -l | sed 's/^/TCP /'; fml submit -m looked"
    )
    state, log = play_out(make(search, steps=1), places)
    assert "key-of-the-house" not in log
    assert "FOUND" not in log
    assert "TCP 1\n" in log
    assert state.steps[1].evaluation.is_ok


def test_a_program_that_goes_on_after_its_deadline_is_ended(make: Run, places: Places):
    folder = make("(sleep 600 &) ; sleep 600", hours=5 / 3600)
    state, _ = play_out(folder, places)
    assert "timeout" in state.notes[-1].text
    assert not groups_of(folder.path.name)


def test_a_command_that_is_not_there_is_the_users_to_mend(make: Run, places: Places):
    with pytest.raises(AgentFailed, match="no-such-program"):
        play_out(make("no-such-program --please"), places)


def test_what_a_program_has_done_is_not_done_again_after_a_kill(make: Run, places: Places):
    folder = make(ONCE)
    words = [str(path) for path in (places.cache, places.runs, folder.path)]
    with subprocess.Popen([sys.executable, "-c", PLAYER, *words]) as harness:
        while len(read_state(folder).steps) < 2:
            assert harness.poll() is None
            time.sleep(0.2)
        harness.send_signal(signal.SIGKILL)
    state, _ = play_out(folder, places)
    assert [step.idea for step in state.steps] == ["baseline", "first", "second"]
    assert sorted(state.tests) == [0, 1, 2]
