"""A program as the agent: what it took is on the record, however it ended."""

import shlex
from dataclasses import replace

import pytest

from fmlbench.agents.context import Quarters
from fmlbench.agents.program.agent import ProgramAgent
from fmlbench.agents.program.desk import is_over
from fmlbench.agents.program.program import Program
from fmlbench.core.errors import AgentFailed, ModelTrouble
from fmlbench.core.steps import ENDING, SPENT, WAITED, usages_of
from fmlbench.models.metering import Caps
from fmlbench.models.proxy.opening import model_access
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


def run(quarters: Quarters, command: str, session: RecordedSession) -> None:
    ProgramAgent(Program(command), quarters, steps=3).run(session)


def cpu_seconds_of(session: RecordedSession) -> float:
    return sum(usage.cpu_seconds for usage in usages_of(session.history, session.history.notes))


def test_the_cpu_seconds_of_a_program_are_on_record(quarters: Quarters):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    run(quarters, BURN, session)
    assert cpu_seconds_of(session) >= 1
    assert is_over(session)


def test_they_are_kept_where_the_run_can_be_gone_on_with(quarters: Quarters):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    with pytest.raises(AgentFailed):
        run(quarters, f"{BURN}; exit 127", session)
    assert cpu_seconds_of(session) >= 1
    assert not is_over(session)
    run(quarters, BURN, session)
    assert cpu_seconds_of(session) >= 2


def test_who_has_no_hours_left_is_not_started_again(quarters: Quarters):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    run(replace(quarters, hours_left=lambda: 0.0), BURN, session)
    assert is_over(session)
    assert cpu_seconds_of(session) == 0


def test_they_are_kept_where_somebody_interrupts(quarters: Quarters):
    def experiment(files: Files) -> float:
        if files != FILES:
            raise KeyboardInterrupt
        return 0.5

    session = RecordedSession(FILES, experiment, steps=3)
    with pytest.raises(KeyboardInterrupt):
        run(quarters, f"{BURN}; echo 'rate = 0.8' > research.py; fml submit -m idea", session)
    assert cpu_seconds_of(session) >= 1
    assert not is_over(session)


def run_with_garbage(quarters: Quarters, end: str, session: RecordedSession, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(f"python -c {shlex.quote(ASK.replace('END', end))}")
    short = replace(quarters, hours_left=lambda: 5 / 3600)
    with ModelServer(lambda _: "never", [Fault.GARBAGE] * 1000) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        ProgramAgent(program, short, steps=3, model=model_access("openai/gpt-5.1", Caps())).run(session)


@pytest.mark.parametrize("end", ["sys.exit(1)", "pass"])
def test_who_could_not_go_on_for_want_of_an_answer_can_be_started_again(
    quarters: Quarters, end: str, monkeypatch: pytest.MonkeyPatch
):
    """Whether it gave up or asked until its deadline."""
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    with pytest.raises(ModelTrouble, match=r"not an answer of a model: <html>|cut off"):
        run_with_garbage(quarters, end, session, monkeypatch)
    assert not is_over(session)
    # Its hours are not charged with that.
    assert [note.kind for note in session.history.notes] == [WAITED]


def test_who_is_content_with_what_came_is_done(quarters: Quarters, monkeypatch: pytest.MonkeyPatch):
    session = RecordedSession(FILES, lambda _: 0.5, steps=3)
    run_with_garbage(quarters, "break", session, monkeypatch)
    assert is_over(session)
    assert [note.kind for note in session.history.notes] == [SPENT, ENDING]
