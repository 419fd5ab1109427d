"""Answers of the submission server, and its checks of requests."""

import json
import tracemalloc
from typing import Any

import pytest

from fmlbench.agents.program.protocol import Response
from fmlbench.agents.program.submission_server import SubmissionServer, is_over
from fmlbench.agents.program.text import data_of, line_of, step_data, with_details
from fmlbench.core.evaluation import Evaluation, Outcome
from fmlbench.core.notes import AgentEnded, FilesLeftOut, RequestRefused, TrialRecorded, ViolationSeen
from fmlbench.core.steps import usages_of
from fmlbench.core.usage import Usage
from fmlbench.models.meter import Caps
from fmlbench.testing.histories import history_of
from fmlbench.testing.sessions import Files, RecordedSession

FILES = {"research.py": "rate = 0.5\n"}


def score(files: Files) -> float:
    values: dict[str, float] = {}
    exec(files["research.py"], values)
    return values["rate"]


@pytest.fixture
def session() -> RecordedSession:
    return RecordedSession(FILES, score, steps=2)


@pytest.fixture
def server(session: RecordedSession) -> SubmissionServer:
    return SubmissionServer(session=session, steps=2, seconds_left=lambda: 600.0)


def ask(server: SubmissionServer, ask: str, **words: Any) -> Response:
    return server.answer(json.dumps({"ask": ask, **words}).encode())


def submit(server: SubmissionServer, text: str, idea: str = "faster") -> Response:
    return ask(server, "submit", idea=idea, files={"research.py": text})


def test_the_brief_is_a_page_and_data(server: SubmissionServer):
    answer = ask(server, "brief")
    assert answer.text.startswith("# ")
    assert answer.data["brief"]


def test_a_submission_costs_a_step_and_tells_its_score(server: SubmissionServer):
    answer = submit(server, "rate = 0.7\n")
    assert "step 1: ok, score 0.7000. faster" in answer.text
    assert "Left: 1 step, 10 minutes." in answer.text
    assert answer.data["best_step"] == 1


def test_a_crash_shows_the_end_of_its_log(server: SubmissionServer):
    answer = submit(server, "raise RuntimeError('hello')\n")
    assert answer.ok
    assert "RuntimeError: hello" in answer.text


def test_nothing_is_scored_after_the_agent_is_done(server: SubmissionServer, session: RecordedSession):
    assert ask(server, "done").ok
    assert server.is_done
    answer = submit(server, "rate = 0.7\n")
    assert (answer.ok, answer.text) == (False, "The session was ended by 'fml done'.")
    assert len(session.history) == 1


def test_side_metrics_cpu_time_and_the_end_of_the_log_are_shown():
    good = Evaluation(
        outcome=Outcome.OK,
        score=0.7,
        metrics={"clean_accuracy": 0.91234},
        cpu_seconds=12.34,
        peak_memory_mb=300,
        log_tail="x" * 5000 + "\nepoch 3: loss 0.5\n",
    )
    text = with_details("step 1: ok", good)
    assert text.splitlines()[:3] == [
        "step 1: ok",
        "Side metrics: clean_accuracy 0.9123.",
        "CPU time: 12.3 s, peak memory: 300 MB.",
    ]
    assert text.endswith("epoch 3: loss 0.5")
    assert len(text) < 2200
    crashed = good.model_copy(update={"outcome": Outcome.CRASHED, "score": None})
    assert "x" * 5000 in with_details("step 1: crashed", crashed)
    assert data_of(good)["metrics"] == {"clean_accuracy": 0.91234}


def test_status_data_contains_the_steps_with_their_outcomes(server: SubmissionServer):
    submit(server, "raise RuntimeError('hello')\n")
    steps: Any = ask(server, "status").data["steps"]
    assert [(step["step"], step["outcome"], step["score"]) for step in steps] == [(0, "ok", 0.5), (1, "crashed", None)]


def test_files_can_be_checked_without_spending_a_step(server: SubmissionServer, session: RecordedSession):
    answer = ask(server, "check", files={"research.py": "rate = 0.7\n"})
    assert answer.text.startswith("These files add ")
    assert answer.text.endswith(" of 4,096 allowed bytes of information.")
    assert answer.data["violation"] == ""
    assert answer.data["information_bytes_allowed"] == 4096
    assert len(session.history) == 1


def test_a_check_says_what_would_be_rejected(server: SubmissionServer):
    answer = ask(server, "check", files={"research.py": f"rate = '{'a' * 2000}'\n"})
    assert answer.text == "rejected: 'research.py', line 1, has a string of 2,002 bytes; at most 1,000 are allowed."
    assert answer.data["violation"]


def test_the_status_tells_how_much_information_is_allowed(server: SubmissionServer):
    answer = ask(server, "status")
    assert "A proposal may add 4,096 bytes of information." in answer.text
    assert answer.data["information_bytes_allowed"] == 4096


def test_a_measured_step_tells_how_much_it_adds():
    step = history_of(0.5, 0.7)[1]
    assert "adds" not in line_of(step)
    measured = step.model_copy(update={"information_bytes": 1234})
    assert "ok, score 0.7000, adds 1,234 bytes of information." in line_of(measured)
    assert step_data(measured)["information_bytes"] == 1234


def test_nothing_is_scored_beyond_the_budget(server: SubmissionServer, session: RecordedSession):
    submit(server, "rate = 0.6\n")
    submit(server, "rate = 0.7\n")
    answer = submit(server, "rate = 0.9\n")
    assert not answer.ok
    assert answer.data["steps_left"] == 0
    assert len(session.history.proposed) == 2


def test_a_step_is_made_on_top_of_the_last_one_or_of_what_was_checked_out(
    server: SubmissionServer, session: RecordedSession
):
    submit(server, "rate = 0.6\n")
    assert ask(server, "checkout", step=0).data["files"] == FILES
    submit(server, "rate = 0.7\n")
    assert [step.move.parents for step in session.history.proposed] == [(0,), (0,)]


def test_a_diff_has_both_sides(server: SubmissionServer):
    submit(server, "rate = 0.6\n")
    assert ask(server, "diff", step=1).data == {"before": FILES, "after": {"research.py": "rate = 0.6\n"}}


@pytest.mark.parametrize("step", [-1, 7])
def test_a_step_that_is_not_there_is_refused(server: SubmissionServer, step: int):
    assert not ask(server, "checkout", step=step).ok


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"\xff\xfe", b"null", b'{"ask": "labels"}', b'{"ask": "submit", "idea": 1, "files": []}'],
)
def test_what_cannot_be_read_is_refused_costs_nothing_and_is_on_record(
    server: SubmissionServer, session: RecordedSession, line: bytes
):
    assert not server.answer(line).ok
    assert not session.history.proposed
    assert [type(note) for note in session.history.notes] == [ViolationSeen if line else RequestRefused]


NUMBERS = ", ".join(["1"] * 100_000)
FIELDS = ", ".join(f'"{number}": 1' for number in range(50_000))


@pytest.mark.parametrize(
    "line",
    [
        f'{{"ask": "sort", "paths": [{NUMBERS}]}}',
        f'{{"ask": "submit", "idea": "i", "files": {{}}, "left_out": [{NUMBERS}]}}',
        f'{{"ask": "try", "files": {{{FIELDS}}}}}',
        f'{{"ask": "brief", {FIELDS}}}',
    ],
    ids=["paths", "left out", "files", "fields"],
)
def test_a_long_request_that_is_wrong_all_over_takes_no_memory_to_complain_of(server: SubmissionServer, line: str):
    tracemalloc.start()
    try:
        assert not server.answer(line.encode()).ok
        assert tracemalloc.get_traced_memory()[1] < 30 * len(line)
    finally:
        tracemalloc.stop()


def test_who_claims_a_score_or_a_step_of_its_own_is_refused(server: SubmissionServer, session: RecordedSession):
    for claim in ({"score": 1.0}, {"step": 7}, {"parents": [0]}, {"outcome": "ok"}):
        assert not ask(server, "submit", idea="i", files=FILES, **claim).ok
    assert not session.history.proposed
    assert [type(note) for note in session.history.notes] == [ViolationSeen] * 4


def test_files_that_the_tool_would_not_take_along_are_on_record(session: RecordedSession):
    session.brief = session.brief.model_copy(update={"patterns": ("*.py",)})
    server = SubmissionServer(session=session, steps=2, seconds_left=lambda: 600.0)
    ask(server, "submit", idea="i", files={**FILES, "../" + "long" * 1000: "x"})
    (note,) = session.history.notes
    assert isinstance(note, ViolationSeen)
    assert note.step == 1
    assert "submit with files that are not editable: ../long" in note.text
    assert len(note.text) < 300


def test_a_flood_of_refusals_is_written_down_for_a_while_only(server: SubmissionServer, session: RecordedSession):
    for _ in range(100):
        server.answer(b'{"ask": "' + b"x" * 10_000 + b'"}')
        ask(server, "diff", step=99)
    notes = [note for note in session.history.notes if isinstance(note, ViolationSeen | RequestRefused)]
    assert len(notes) == len(session.history.notes)
    assert [sum(isinstance(note, kind) for note in notes) for kind in (ViolationSeen, RequestRefused)] == [30, 30]
    assert all(len(note.text) < 300 for note in notes)
    assert notes[-1].text.endswith("(further notes of this kind are omitted)")


def test_the_remaining_caps_of_a_model_are_shown(session: RecordedSession):
    server = SubmissionServer(
        session=session, steps=2, seconds_left=lambda: 600.0, caps_left=lambda: Caps(tokens=900, dollars=0.25)
    )
    answer = ask(server, "status")
    assert "Left: 2 steps, 10 minutes, 900 tokens of your model, $0.25 for your model." in answer.text
    assert (answer.data["tokens_left"], answer.data["dollars_left"]) == (900, 0.25)


def test_without_caps_none_are_shown(server: SubmissionServer):
    answer = ask(server, "status")
    assert "Left: 2 steps, 10 minutes." in answer.text
    assert (answer.data["tokens_left"], answer.data["dollars_left"]) == (None, None)


def test_protected_files_that_were_changed_are_on_record(server: SubmissionServer, session: RecordedSession):
    ask(server, "submit", idea="i", files=FILES, left_out=["setup.py"])
    assert list(session.history.notes) == [FilesLeftOut(step=1, paths=("setup.py",))]


def test_an_idea_is_one_line_of_sensible_length(server: SubmissionServer, session: RecordedSession):
    submit(server, "rate = 0.6\n", idea="a\n\nb " + "long " * 1000)
    idea = session.history[1].idea
    assert idea.startswith("a b long")
    assert len(idea) <= 2000


def test_a_step_costs_what_models_cost_since_the_last_one(session: RecordedSession):
    spent = iter([Usage(calls=3, input_tokens=5, dollars=0.25), Usage()])
    server = SubmissionServer(session=session, steps=2, seconds_left=lambda: 1.0, spent=lambda: next(spent))
    submit(server, "rate = 0.6\n")
    submit(server, "rate = 0.7\n")
    assert [step.usage.calls for step in session.history.proposed] == [3, 0]
    assert session.history[1].usage.dollars == 0.25


def test_what_was_spent_after_the_last_step_is_on_record(session: RecordedSession):
    spent = iter([Usage(calls=3, input_tokens=5, dollars=0.25), Usage(calls=1, input_tokens=7, dollars=0.5)])
    seconds = iter([0.0, 10.0, 12.0, 15.0, 15.0])
    server = SubmissionServer(
        session=session, steps=2, seconds_left=lambda: 1.0, spent=lambda: next(spent), clock=lambda: next(seconds)
    )
    submit(server, "rate = 0.6\n")
    server.settle(cpu_seconds=2.5)
    server.close("it ended by itself")
    usages = usages_of(session.history, session.history.notes)
    assert [(usage.calls, usage.input_tokens, usage.dollars, usage.seconds) for usage in usages] == [
        (0, 0, 0.0, 0.0),
        (3, 5, 0.25, 10.0),
        (1, 7, 0.5, 3.0),
    ]
    assert usages[-1].cpu_seconds == 2.5
    assert session.history.notes[-1] == AgentEnded(step=2, reason="it ended by itself")
    assert is_over(session)


def test_trying_costs_no_step_and_is_counted(session: RecordedSession):
    tried: list[Files] = []

    def practice(files: Files) -> Evaluation:
        tried.append(files)
        return Evaluation(outcome=Outcome.OK, score=0.9)

    server = SubmissionServer(session=session, steps=2, seconds_left=lambda: 1.0, practice=practice)
    answer = ask(server, "try", files=FILES)
    assert "practice: ok, score 0.9000" in answer.text
    assert not session.history.proposed
    assert [type(note) for note in session.history.notes] == [TrialRecorded]
    assert ask(server, "status").data["trials"] == 1
    resumed = SubmissionServer(session=session, steps=2, seconds_left=lambda: 1.0, practice=practice)
    assert ask(resumed, "status").data["trials"] == 1


def test_a_task_without_practice_says_so(server: SubmissionServer):
    assert "no practice questions" in ask(server, "try", files=FILES).text
