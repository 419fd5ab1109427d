"""A person as the agent uses the same submission server and the same tool."""

import subprocess
import threading
import time
from collections.abc import Callable

from fmlbench.agents.entry import AgentWorkspace
from fmlbench.agents.program.person import Person
from fmlbench.core.notes import AgentEnded, InvitationShown
from fmlbench.core.steps import Move, Operator, Proposal, usages_of
from fmlbench.testing.sessions import Files, RecordedSession

FILES = {"research.py": "rate = 0.5\n"}


def score(files: Files) -> float:
    values: dict[str, float] = {}
    exec(files["research.py"], values)
    return values["rate"]


def invitation_in(session: RecordedSession) -> str:
    return next((note.text for note in session.history.notes if isinstance(note, InvitationShown)), "")


def ending(session: RecordedSession) -> str:
    last = session.history.notes[-1]
    assert isinstance(last, AgentEnded)
    return last.reason


def wait_until(holds: Callable[[], object]) -> None:
    while not holds():
        time.sleep(0.02)


def test_a_person_who_does_what_the_invitation_says_gets_a_score(workspace: AgentWorkspace):
    session = RecordedSession(FILES, score, steps=1)
    server = threading.Thread(target=Person(workspace, steps=1).run, args=(session,))
    server.start()
    wait_until(lambda: invitation_in(session))
    _, export, cd, brief, _ = invitation_in(session).splitlines()
    change = "echo 'rate = 0.8' > research.py"
    typed = "\n".join((export, cd, brief, "ls ../data", change, "fml check", "fml submit -m better"))
    done = subprocess.run(["bash", "-euc", typed], capture_output=True, text=True, check=False)
    server.join()
    assert "step 1: ok, score 0.8000. better" in done.stdout, done.stderr
    assert "pixels" in done.stdout
    assert " of 4,096 allowed bytes of information." in done.stdout
    assert session.history[1].usage.seconds > 0


def test_a_person_who_is_done_says_so(workspace: AgentWorkspace):
    session = RecordedSession(FILES, score, steps=3)

    pressed: list[bool] = []

    def clock() -> float:
        if not invitation_in(session):
            return 0.0
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        return 90.0

    person = Person(workspace, steps=3, clock=clock)
    person.run(session)
    assert ending(session) == "the person is done"
    assert session.is_open
    assert [usage.seconds for usage in usages_of(session.history, session.history.notes)] == [0.0, 90.0]
    notes = len(session.history.notes)
    person.run(session)
    assert len(session.history.notes) == notes, "who is done is not invited again"


def test_a_person_ends_the_session_with_the_tool(workspace: AgentWorkspace):
    session = RecordedSession(FILES, score, steps=3)
    server = threading.Thread(target=Person(workspace, steps=3).run, args=(session,))
    server.start()
    wait_until(lambda: invitation_in(session))
    _, export, cd, _, _ = invitation_in(session).splitlines()
    done = subprocess.run(["bash", "-euc", f"{export}\n{cd}\nfml done"], capture_output=True, text=True, check=False)
    server.join()
    assert done.stdout == "The session is over. Nothing more can be submitted.\n", done.stderr
    assert ending(session) == "the person is done"


def test_what_was_submitted_is_tested_although_the_person_is_done(workspace: AgentWorkspace):
    pressed: list[bool] = []

    def experiment(files: Files) -> float:
        if files != FILES and not pressed:
            pressed.append(True)
            session.pending = Proposal(Move(operator=Operator.IMPROVE), files, "better")
            raise KeyboardInterrupt
        return score(files)

    session = RecordedSession(FILES, experiment, steps=3)

    def submit_once() -> None:
        wait_until(lambda: invitation_in(session))
        _, export, cd, *_ = invitation_in(session).splitlines()
        typed = "\n".join((export, cd, "echo 'rate = 0.8' > research.py", "fml submit -m better"))
        subprocess.run(["bash", "-c", typed], capture_output=True, check=False)

    typing = threading.Thread(target=submit_once)
    typing.start()
    Person(workspace, steps=3).run(session)
    typing.join()
    assert [step.score for step in session.history] == [0.5, 0.8]
    assert ending(session) == "the person is done"


def test_a_person_s_time_ends(workspace: AgentWorkspace):
    session = RecordedSession(FILES, score, steps=3)
    Person(workspace, steps=3, clock=lambda: 7200.0 if invitation_in(session) else 0.0).run(session)
    assert not session.history.proposed
    assert ending(session) == "the time is over"
