"""Agents that are programs of their own, in the real sandbox, on the toy task."""

import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fmlbench.agents.registry import agent_spec
from fmlbench.core.errors import AgentFailed
from fmlbench.core.notes import AgentEnded, FilesLeftOut, RequestRefused, ViolationSeen
from fmlbench.core.progress import Silent
from fmlbench.core.run import Budget, Isolation, RunSpec
from fmlbench.engine.run import create, execute_run, load_run
from fmlbench.experiment.prepared_task import PreparedTask
from fmlbench.experiment.samples import make_sample
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import read_events
from fmlbench.records.replay import RunState, read_state
from fmlbench.sandbox.cgroups import groups_of
from fmlbench.testing.models.server import KEY, ModelServer
from fmlbench.workspace.dirs import Dirs
from fmlbench.workspace.snapshots import Snapshots
from tests.end_to_end.searching import SEARCHER, found_in, told
from tests.terminal import Terminal

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]

FASTER = "sed -i 's/steps=150/steps=3/' tinylearn/model.py"

FORGER = """
import json, os, socket
from pathlib import Path

def send(words):
    server = os.open("/lab/server", os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(f"/proc/self/fd/{server}/socket")
        caller.sendall(words)
        caller.shutdown(socket.SHUT_WR)
        print("SAID", caller.makefile().readline()[:500])

def submit(more, **claims):
    submission = {"ask": "submit", "idea": "forged", "files": {**files, **more}, "left_out": [], **claims}
    send(json.dumps(submission).encode() + b"\\n")

for words in (b"", b"x" * 99, b'{"ask": "sealed"}\\n', b'{"ask": "diff", "step": 1000}\\n'):
    send(words)
files = {str(path): path.read_text() for path in Path("tinylearn").glob("*.py")}
submit({}, score=1.0)
submit({}, step=0, evaluation={"outcome": "ok", "score": 1.0})
submit({"README.md": "mine"})
submit({"../outside.py": "mine", "tinylearn/../../outside.py": "mine"})
submit({"/lab/task/driver.py": "mine", "/tmp/outside.py": "mine"})
Path("README.md").write_text("mine, and nobody is told")
submit({})
"""
ONCE = """
if test $(fml status | grep -c ^step) = 1; then fml submit -m first; sleep 300; fi
fml submit -m second
"""
PLAYER = """
import sys
from pathlib import Path
from fmlbench.core.progress import Silent
from fmlbench.engine.run import execute_run, load_run
from fmlbench.records.folder import RunFolder
from fmlbench.workspace.dirs import Dirs
cache, runs, run = map(Path, sys.argv[1:])
execute_run(load_run(RunFolder(run), Dirs(cache=cache, runs=runs)), progress=Silent(), watch=lambda _: None)
"""

SENDER = """
import os, time
while True:
    open(os.path.join(os.path.dirname(os.__file__), "this.py")).close()
    time.sleep(0.002)
"""
LISTEN = """
import ctypes, os, select
ears = ctypes.CDLL(None).inotify_init1(0)
ctypes.CDLL(None).inotify_add_watch(ears, os.path.join(os.path.dirname(os.__file__), "this.py").encode(), 0x20)
heard, _, _ = select.select([ears], [], [], float(os.environ.get("PATIENCE", 0.5)))
assert not heard, "heard a voice"
"""

Run = Callable[..., RunFolder]


@pytest.fixture
def make(toy: PreparedTask, dirs: Dirs) -> Run:
    def create_run(
        command: str,
        *,
        steps: int = 2,
        hours: float | None = None,
        isolation: Isolation = Isolation.BUBBLEWRAP,
        model: str = "",
    ):
        agent = agent_spec("command", {"cmd": command})
        spec = RunSpec(
            task="toy",
            task_digest=toy.folder.digest,
            track="cpu",
            agent=agent.model_copy(update={"model": model}),
            seed=0,
            budget=Budget(steps=steps, hours=hours),
            isolation=isolation,
            retest_seeds=0,
        )
        return create(spec, dirs)

    return create_run


def play_out(folder: RunFolder, dirs: Dirs) -> tuple[RunState, str]:
    execute_run(load_run(folder, dirs), progress=Silent(), watch=lambda _: None)
    return read_state(folder), (folder.agent / "log.txt").read_text("utf-8", "replace")


@pytest.mark.parametrize("isolation", [Isolation.BUBBLEWRAP, Isolation.NONE])
def test_a_program_edits_submits_and_gets_scores(make: Run, dirs: Dirs, isolation: Isolation):
    command = (
        f'fml submit -m "as it is" && {FASTER} && fml submit -m "fewer epochs" --print-metric && fml status && '
        "echo LOG && fml log && echo DIFF && fml diff 2; fml diff 9; echo code $?"
    )
    state, log = play_out(make(command, isolation=isolation), dirs)
    assert [step.idea for step in state.steps] == ["baseline", "as it is", "fewer epochs"]
    assert all(step.evaluation.is_ok for step in state.steps)
    assert state.steps[1].score == state.steps[0].score != state.steps[2].score
    assert f"accuracy: {state.steps[2].score}" in log
    assert sorted(state.tests) == [0, 1, 2]
    logged, changed = log.split("LOG\n")[1].split("DIFF\n")
    assert [line.split(":")[0] for line in logged.splitlines()[:3]] == ["step 0", "step 1", "step 2"]
    assert re.findall(r"^([-+]).*steps=(\d+)", changed, re.MULTILINE) == [("-", "150"), ("+", "3")]
    assert "There is no step 9; the last one is 2.\ncode 2" in changed


def test_trying_gives_a_practice_score_and_costs_nothing(make: Run, dirs: Dirs):
    state, log = play_out(make("fml try"), dirs)
    assert "practice: ok, score 0." in log
    assert len(state.steps) == 1


def test_it_can_go_back_to_an_earlier_step_and_add_files(make: Run, dirs: Dirs):
    command = (
        "echo 'raise ValueError(1)' > tinylearn/extra.py && echo 'import tinylearn.extra' >> tinylearn/model.py && "
        "fml submit -m broken; echo code $?; fml checkout 0 && test ! -e tinylearn/extra.py && fml submit -m back"
    )
    state, log = play_out(make(command), dirs)
    assert [str(step.evaluation.outcome) for step in state.steps] == ["ok", "crashed", "ok"]
    assert "code 1" in log
    assert "ValueError: 1" in log
    assert state.steps[2].move.parents == (0,)
    assert state.steps[2].score == state.steps[0].score


def test_protected_files_are_not_taken_and_it_is_on_record(make: Run, dirs: Dirs):
    """New code in the wrong place is told of, too; what a program's own trials left is not."""
    command = "echo x >> README.md; echo 'x = 1' > helper.py; echo x > results.txt; fml submit -m sneaky"
    state, log = play_out(make(command, steps=1), dirs)
    assert "Not submitted, because they are not editable: README.md, helper.py\n" in log
    assert state.steps[1].score == state.steps[0].score
    assert next(note.paths for note in state.notes if isinstance(note, FilesLeftOut)) == ("README.md", "helper.py")


def test_ten_submissions_at_once_spend_no_more_than_the_budget(make: Run, dirs: Dirs):
    command = "for i in 1 2 3 4 5 6 7 8 9 10; do (fml submit -m $i; echo code $?) & done; wait"
    folder = make(command, steps=2)
    state, log = play_out(folder, dirs)
    assert Counter(re.findall(r"^code (\d)", log, re.MULTILINE)) == {"0": 2, "3": 8}
    assert len(state.steps) == 3
    kinds = Counter(event.event for event in read_events(folder.events))
    assert (kinds["proposal-made"], kinds["step-finished"]) == (3, 3)
    assert sum(isinstance(note, RequestRefused) for note in state.notes) == 8


def test_a_program_cannot_talk_to_its_candidate_while_that_is_tested(make: Run, dirs: Dirs):
    """Both can read a file, and the kernel tells who opens it: so one of them stands still."""
    command = (
        f"python -c {shlex.quote(SENDER)} & echo {shlex.quote(LISTEN)} >> tinylearn/model.py; "
        "export PATIENCE=100; python tinylearn/model.py; fml submit -m listen; python tinylearn/model.py; kill $!"
    )
    state, log = play_out(make(command, steps=2), dirs)
    assert log.count("AssertionError: heard a voice") == 2
    assert [step.evaluation.outcome for step in state.steps] == ["ok", "ok"], state.steps[1].evaluation.reason


def test_forged_messages_get_an_answer_and_nothing_else_and_are_on_record(
    make: Run, dirs: Dirs, toy: PreparedTask, cache: Path
):
    folder = make(f"python -c {shlex.quote(FORGER)}", steps=4)
    state, log = play_out(folder, dirs)
    assert re.findall(r'SAID {"ok":(\w+)', log) == ["false"] * 6 + ["true"] * 4
    outcomes = [str(step.evaluation.outcome) for step in state.steps]
    assert outcomes == ["ok", "rejected", "rejected", "rejected", "ok"]
    assert [step.score for step in state.steps[1:]] == [None, None, None, state.steps[0].score]
    untouched, *others = (Snapshots(folder.code).read(step.snapshot) for step in state.steps)
    assert all(other == untouched for other in others)
    assert not list(dirs.runs.rglob("outside.py"))
    violations = [note.text for note in state.notes if isinstance(note, ViolationSeen)]
    assert len(violations) == 6
    assert [path in " ".join(violations) for path in ("README.md", "../outside.py", "/lab/task/driver.py")] == [
        True
    ] * 3
    terminal = Terminal(cache, dirs.runs)
    assert terminal.ask("show", folder.path.name)["summary"]["violations"] == 6
    assert "violation: submit with files that are not editable: README.md" in " ".join(
        terminal.type("show", folder.path.name).stdout.split()
    )


def test_a_program_finds_no_labels_no_scores_no_keys_and_no_way_out(
    make: Run, dirs: Dirs, toy: PreparedTask, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    other = dirs.runs / "another run" / "sealed.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text("a score behind a seal")
    words = (KEY, "key-of-the-house", (cache / "secret").read_text(), "a score behind a seal")
    draw = make_sample(toy, "step", 0).path
    hidden = [path for path in draw.glob("*/labels/*") if path.is_file()]
    assert hidden
    visible = make_sample(toy.in_lab(), "public", 0).path / "train" / "labels.npy"
    with ModelServer(lambda _: "I have none.") as server:
        for name, value in {**server.environment, "SECRET_API_KEY": "key-of-the-house"}.items():
            monkeypatch.setenv(name, value)
        port = int(server.url.rsplit(":", 1)[1])
        sealed = told(
            words,
            [*hidden, visible],
            [Path("/")],
            processes="/proc/[0-9]*",
            ports=(1, 65535),
            outside=[("1.1.1.1", 443)],
            asks_model=True,
        )
        search = shlex.join(["python", "-c", SEARCHER, sealed])
        folder = make(f"{search}; fml submit -m looked", steps=1, model="openai/gpt-5.1")
        state, log = play_out(folder, dirs)
        roots = [dirs.runs, draw, cache / "secret"]
        in_the_open = told(words, hidden, roots, processes="/proc/self", ports=(port, port))
        free = subprocess.run([sys.executable, "-c", SEARCHER, in_the_open], capture_output=True, text=True, check=True)
    assert found_in(log) == [("copy", "/lab/data/train/labels.npy")], (
        "what it may see, it sees; all else is out of reach"
    )
    assert "ANSWERED /chat/completions" in log
    assert server.asked, "its model was reached with the key"
    assert state.steps[1].evaluation.is_ok
    assert not [path for path in folder.path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    kinds = {kind for kind, _ in found_in(free.stdout)}
    assert kinds == {"environment", "process", "file", "name", "copy", "network"}, "the search itself works"


def test_a_program_that_goes_on_after_its_deadline_is_ended(make: Run, dirs: Dirs):
    folder = make("(sleep 600 &) ; sleep 600", hours=5 / 3600)
    state, _ = play_out(folder, dirs)
    assert "timeout" in next(note.reason for note in state.notes if isinstance(note, AgentEnded))
    assert not groups_of(folder.path.name)


def test_a_command_that_is_not_there_is_the_users_to_mend(make: Run, dirs: Dirs):
    with pytest.raises(AgentFailed, match="no-such-program"):
        play_out(make("no-such-program --please"), dirs)


def test_what_a_program_has_done_is_not_done_again_after_a_kill(make: Run, dirs: Dirs):
    folder = make(ONCE)
    words = [str(path) for path in (dirs.cache, dirs.runs, folder.path)]
    with subprocess.Popen([sys.executable, "-c", PLAYER, *words]) as harness:
        while len(read_state(folder).steps) < 2:
            assert harness.poll() is None
            time.sleep(0.2)
        harness.send_signal(signal.SIGKILL)
    state, _ = play_out(folder, dirs)
    assert [step.idea for step in state.steps] == ["baseline", "first", "second"]
    assert sorted(state.tests) == [0, 1, 2]


def test_a_program_that_is_held_when_the_harness_is_killed_ends_with_it(make: Run, dirs: Dirs):
    """Its own candidate waits until somebody has seen that it is tested."""
    folder = make("echo 'import time; time.sleep(3)' >> tinylearn/model.py; fml submit -m slow; echo said", steps=1)
    words = [str(path) for path in (dirs.cache, dirs.runs, folder.path)]
    with subprocess.Popen([sys.executable, "-c", PLAYER, *words]) as harness:
        while not list(folder.experiments.glob("1/**/*.log")):
            assert harness.poll() is None
            time.sleep(0.2)
        harness.send_signal(signal.SIGKILL)
    while processes_of(folder):
        time.sleep(0.2)
    state, _ = play_out(folder, dirs)
    assert [step.idea for step in state.steps] == ["baseline", "slow"]


def processes_of(folder: RunFolder) -> list[str]:
    """Those that see the program's place in the run's folder."""
    mounts = Path("/proc").glob("[0-9]*/mountinfo")
    return [path.parent.name for path in mounts if str(folder.agent) in _text(path)]


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
