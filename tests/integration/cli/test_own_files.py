"""Runs of a user's own file: its mistakes are told in two lines, and the record knows its versions."""

from pathlib import Path

import pytest

from fmlbench.core.run import Isolation
from fmlbench.engine.retest import Retest
from fmlbench.records.folder import RunFolder
from fmlbench.records.replay import read_state
from fmlbench.sandbox.isolation import open_sandbox
from fmlbench.sandbox.protocol import Sandbox
from tests.command_line import Fmlbench

STRATEGY = """\
from dataclasses import dataclass
from fmlbench.agents.registry import search_entry
from fmlbench.core.steps import Move, Operator

@dataclass(frozen=True)
class Mine:
    def next_move(self, history, rng):
        if len(history) == 2:
            raise KeyError("climb")
        return Move(operator=Operator.DRAFT)

AGENT = search_entry("mine", Mine, "Mine.")
"""
MENDED = STRATEGY.replace("== 2", "== 9")
WORDS = ("run", "toy", "--agent", "./mine.py", "--steps", "2", "--retest", "0", "--unsealed")


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(STRATEGY)
    return path


def last_words(text: str) -> list[str]:
    return text.splitlines()[-2:]


def test_a_file_that_cannot_be_read_is_told_in_two_lines_and_leaves_nothing_behind(
    fmlbench: Fmlbench, runs: Path, mine: Path
):
    mine.write_text(STRATEGY.replace('Mine.")', 'Mine."'))
    for words in (("agents", "./mine.py"), WORDS):
        called = fmlbench(*words)
        assert called.code == 2
        assert called.err == (
            "error: ./mine.py, line 12: '(' was never closed\nhint:  Fix the file; docs/agents.md shows how.\n"
        )
    assert not runs.exists()


def test_a_crash_is_told_and_a_mended_file_makes_a_run_of_its_own(fmlbench: Fmlbench, runs: Path, mine: Path):
    called = fmlbench(*WORDS)
    (broken,) = runs.iterdir()
    assert called.code == 2
    error, hint = last_words(called.err)
    assert error == "error: ./mine.py, line 9: KeyError: 'climb'"
    assert hint == (
        "hint:  Fix the file; docs/agents.md shows how. After you edit the file, the same command starts a new run. "
        f"To resume this run: fmlbench resume {broken.name}"
    )

    mine.write_text(MENDED)
    refused = fmlbench("resume", broken.name)
    assert refused.code == 2
    assert last_words(refused.err) == [
        "error: ./mine.py has changed since this run was started.",
        "hint:  Restore the file, or start a new run with the same command.",
    ]
    assert len(read_state(RunFolder(broken)).steps) == 2

    assert fmlbench(*WORDS).code == 0
    (mended,) = (path for path in runs.iterdir() if path != broken)
    assert len(read_state(RunFolder(mended)).steps) == 3


def test_the_file_is_executed_once_and_the_sandbox_opened_once(
    fmlbench: Fmlbench, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    executed = tmp_path / "executed"
    mine.write_text(f"with open({str(executed)!r}, 'a') as file:\n    file.write('x')\n{MENDED}")
    opened: list[Isolation] = []

    def count(isolation: Isolation) -> Sandbox:
        opened.append(isolation)
        return open_sandbox(isolation)

    monkeypatch.setattr("fmlbench.cli.requests.open_sandbox", count)
    monkeypatch.setattr("fmlbench.engine.run.open_sandbox", count)
    assert fmlbench(*WORDS).code == 0
    assert executed.read_text() == "x"
    assert opened == [Isolation.NONE]


def test_who_only_has_retests_left_needs_the_file_no_more(
    fmlbench: Fmlbench, runs: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
):
    mine.write_text(MENDED)
    with monkeypatch.context() as stopped:
        stopped.setattr(Retest, "run", _stop)
        assert fmlbench("run", "toy", "--agent", "./mine.py", "--steps", "1", "--retest", "1", "--unsealed").code == 130
    mine.unlink()
    (run,) = runs.iterdir()
    called = fmlbench("resume", run.name)
    assert called.code == 0, called.err
    assert read_state(RunFolder(run)).retests


def test_answers_given_to_another_version_of_the_file_are_not_replayed(fmlbench: Fmlbench, runs: Path, mine: Path):
    mine.write_text(MENDED)
    words = ("run", "toy", "--agent", "./mine.py", "--steps", "1", "--retest", "0", "--unsealed")
    assert fmlbench(*words, "--model", "scripted/tinker").code == 0
    (run,) = runs.iterdir()
    mine.write_text(MENDED + "# another version\n")
    called = fmlbench(*words, "--replay", run.name)
    assert called.code == 2
    assert "hint:  The replayed run used an earlier version of its file with scripted/tinker.\n" in called.err


def _stop(*_: object) -> None:
    raise KeyboardInterrupt
