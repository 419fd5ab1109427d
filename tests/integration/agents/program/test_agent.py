"""A program as the agent: what it took is on the record, however it ended."""

import shlex
from dataclasses import replace

import pytest

from fmlbench.agents.entry import AgentWorkspace
from fmlbench.agents.program.agent import ProgramAgent
from fmlbench.agents.program.program import Program
from fmlbench.agents.program.submission_server import is_over
from fmlbench.core.errors import AgentFailed, ModelTrouble
from fmlbench.core.notes import AgentEnded, UsageRecorded, WaitRecorded
from fmlbench.core.steps import usages_of
from fmlbench.models.meter import Caps
from fmlbench.models.proxy.access import model_access
from fmlbench.testing.models.faults import Fault
from fmlbench.testing.models.server import ModelServer
from fmlbench.testing.sessions import Files, RecordedSession

FILES = {"research.py": "rate = 0.5\n"}
BURN = "python -c 'import time\nwhile time.process_time() < 1: pass'"
ASK = """
import os, sys, time, urllib.request
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b"{}")
while True:
    urllib.request.urlopen(request).read()
    END
    time.sleep(0.1)
"""


def run(workspace: AgentWorkspace, command: str, session: RecordedSession) -> None:
    ProgramAgent(Program(command), workspace, steps=3).run(session)


def cpu_seconds_of(session: RecordedSession) -> float:
    return sum(usage.cpu_seconds for usage in usages_of(session.history, session.history.notes))


def test_the_cpu_seconds_of_a_program_are_on_record(workspace: AgentWorkspace):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    run(workspace, BURN, session)
    assert cpu_seconds_of(session) >= 1
    assert is_over(session)


def test_they_are_kept_where_the_run_can_be_resumed(workspace: AgentWorkspace):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    with pytest.raises(AgentFailed):
        run(workspace, f"{BURN}; exit 127", session)
    assert cpu_seconds_of(session) >= 1
    assert not is_over(session)
    run(workspace, BURN, session)
    assert cpu_seconds_of(session) >= 2


def test_who_has_no_hours_left_is_not_started_again(workspace: AgentWorkspace):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    run(replace(workspace, hours_left=lambda: 0.0), BURN, session)
    assert is_over(session)
    assert cpu_seconds_of(session) == 0


def test_they_are_kept_after_an_interruption(workspace: AgentWorkspace):
    def experiment(files: Files) -> float:
        if files != FILES:
            raise KeyboardInterrupt
        return 0.5

    session = RecordedSession(FILES, experiment, steps=3)
    with pytest.raises(KeyboardInterrupt):
        run(workspace, f"{BURN}; echo 'rate = 0.8' > research.py; fml submit -m idea", session)
    assert cpu_seconds_of(session) >= 1
    assert not is_over(session)


def run_with_garbage(
    workspace: AgentWorkspace, end: str, session: RecordedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program(f"python -c {shlex.quote(ASK.replace('END', end))}")
    short = replace(workspace, hours_left=lambda: 5 / 3600)
    with ModelServer(lambda _: "never", [Fault.GARBAGE] * 1000) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        ProgramAgent(program, short, steps=3, model=model_access("openai/gpt-5.1", Caps())).run(session)


@pytest.mark.parametrize("end", ["sys.exit(1)", "pass"])
def test_who_could_not_go_on_for_want_of_an_answer_can_be_started_again(
    workspace: AgentWorkspace, end: str, monkeypatch: pytest.MonkeyPatch
):
    """Whether it gave up or asked until its deadline."""
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    with pytest.raises(ModelTrouble, match=r"not a model's answer: <html>|cut off"):
        run_with_garbage(workspace, end, session, monkeypatch)
    assert not is_over(session)
    # Its hours are not charged with that.
    assert [type(note) for note in session.history.notes] == [WaitRecorded]


def test_who_is_content_with_what_came_is_done(workspace: AgentWorkspace, monkeypatch: pytest.MonkeyPatch):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    run_with_garbage(workspace, "break", session, monkeypatch)
    assert is_over(session)
    assert [type(note) for note in session.history.notes] == [UsageRecorded, AgentEnded]
