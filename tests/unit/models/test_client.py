"""A search agent's model: every call is logged, none is repeated, caps hold, answers are replayed."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.call_log import CallLog, LoggedCall, read_calls
from fmlbench.models.chat import CallKey, ChatModel, Message, Reply, Request, Tokens
from fmlbench.models.client import ModelClient, open_client
from fmlbench.models.connection import Connection
from fmlbench.models.in_process import IN_PROCESS, InProcess
from fmlbench.models.meter import Caps, Spending
from fmlbench.models.prices import Price, Pricing, free, unknown
from fmlbench.models.replay import Replay
from fmlbench.models.upstream import ConnectionLost, Endpoint, Incoming, Outgoing
from fmlbench.records.log import RecordLog


def request(step: int, text: str = "hello", turn: int = 0) -> Request:
    return Request(
        place=CallKey(step=step, purpose="propose", turn=turn),
        system="s",
        messages=(Message(role="user", text=text),),
        max_output_tokens=10,
    )


BIG = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="s" * 30,
    messages=(Message(role="user", text="u" * 270),),
    max_output_tokens=900,
)
"""At most 100 tokens of input, since three bytes are a token at least, and 900 of output."""


@dataclass
class Numbering:
    """Numbers its answers."""

    name: str = "test/numbering"
    asked: list[Request] = field(default_factory=list[Request])

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(text=f"answer {len(self.asked)}", tokens=Tokens(input=10, output=5))


@dataclass
class Silent:
    """Does not report its usage."""

    name: str = "test/silent"

    def complete(self, request: Request) -> Reply:
        return Reply(text="x")


@dataclass
class Failing:
    """Never answers."""

    status: int = 0
    was_sent: bool = True

    def send(self, outgoing: Outgoing) -> Incoming:
        if self.status:
            return Incoming(self.status, {}, iter([b'{"error": {"message": "refused"}}']))
        raise ConnectionLost("garbage", was_sent=self.was_sent)


def a_cent_a_token(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 100, "a list")


def client_of(
    endpoint: Endpoint | ChatModel, log: CallLog, caps: Caps | None = None, price: Pricing = a_cent_a_token
) -> ModelClient:
    reached = InProcess(endpoint) if isinstance(endpoint, ChatModel) else endpoint
    return open_client(Connection("test/model", "model", IN_PROCESS, reached, price), log, caps, pauses=())


def test_everything_is_an_instance_of_the_protocol():
    assert isinstance(client_of(Numbering(), CallLog()), ChatModel)


def test_a_resumed_run_asks_nothing_twice(tmp_path: Path):
    model = Numbering()
    with CallLog(tmp_path / "log") as log:
        first = client_of(model, log).complete(request(1))
    with CallLog(tmp_path / "log") as log:
        resumed = client_of(model, log)
        assert resumed.complete(request(1)) == first
        assert len(model.asked) == 1
        assert resumed.complete(request(2)).text == "answer 2"
        assert log.spent == Spending(tokens=30, dollars=0.3)


def test_another_question_at_the_same_place_is_asked(tmp_path: Path):
    with CallLog(tmp_path / "log") as log:
        client = client_of(Numbering(), log)
        assert client.complete(request(1)).text == "answer 1"
        assert client.complete(request(1, "something else")).text == "answer 2"
        assert client.complete(request(1, turn=1)).text == "answer 3"


def test_a_torn_line_is_asked_again(tmp_path: Path):
    model = Numbering()
    path = tmp_path / "log"
    with CallLog(path) as log:
        client_of(model, log).complete(request(1))
        client_of(model, log).complete(request(2))
    path.write_bytes(path.read_bytes()[:-20])
    with CallLog(path) as log:
        assert client_of(model, log).complete(request(1)).text == "answer 1"
        assert client_of(model, log).complete(request(2)).text == "answer 3"


def test_a_record_answers_by_place_and_says_what_it_was_asked_then(tmp_path: Path):
    with CallLog(tmp_path / "log") as log:
        client_of(Numbering(), log).complete(request(1, "the score was 0.5000"))
    (call,) = read_calls(tmp_path / "log")
    replayed = client_of(Replay([call]), CallLog(), price=free)
    same = replayed.complete(request(1, "the score was 0.5000"))
    assert (same.text, same.replays, same.dollars) == ("answer 1", call.digest, 0.0)
    other = replayed.complete(request(1, "the score was 0.5001"))
    assert (other.text, other.replays) == ("answer 1", same.replays)
    with pytest.raises(NoMoreCalls, match="no answer for step 2, propose, turn 0"):
        replayed.complete(request(2))


def test_halves_of_characters_are_storable(tmp_path: Path):
    class Broken:
        def send(self, outgoing: Outgoing) -> Incoming:
            return Incoming(200, {}, iter([rb'{"text": "half \ud800", "served_by": "", "is_complete": true}']))

    with CallLog(tmp_path / "log") as log:
        assert client_of(Broken(), log).complete(request(1)).text == "half ?"
    with CallLog(tmp_path / "log") as log:
        assert client_of(Failing(), log).complete(request(1)).text == "half ?"


def test_an_answer_that_cannot_be_logged_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Otherwise a resumed run would pay for it again."""

    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with CallLog(tmp_path / "log") as log:
        monkeypatch.setattr(RecordLog, "append", fill)
        with pytest.raises(OSError, match="No space left on device"):
            client_of(Numbering(), log).complete(request(1))


def test_a_call_without_an_answer_counts_after_a_resume_and_answers_nothing(tmp_path: Path):
    lost = LoggedCall(
        key=request(1).place,
        path="/complete",
        request="{}",
        status=0,
        is_estimate=True,
        most=Tokens(input=7, output=10),
        most_dollars=0.5,
        trouble="x",
    )
    with CallLog(tmp_path / "log") as log:
        log.add(lost)
        assert not log.has_keyed_answers
    with CallLog(tmp_path / "log") as log:
        assert log.spent == Spending(tokens=17, dollars=0.5)
        assert client_of(Numbering(), log).complete(request(1)).text == "answer 1"
        assert log.has_keyed_answers
        assert log.spent == Spending(tokens=32, dollars=0.65)


def test_every_reply_gets_its_price():
    reply = client_of(Numbering(), CallLog()).complete(request(1))
    assert (reply.dollars, reply.priced_by) == (0.15, "a list")
    assert client_of(Numbering(), CallLog(), price=unknown).complete(request(1)).dollars is None
    assert client_of(Numbering(), CallLog(), price=free).complete(request(1)).dollars == 0.0


@pytest.mark.parametrize(("caps", "is_allowed"), [(Caps(tokens=1000), True), (Caps(tokens=999), False)])
def test_a_call_that_could_break_a_cap_is_not_made(caps: Caps, is_allowed: bool):
    model = Numbering()
    client = client_of(model, CallLog(), caps)
    if is_allowed:
        client.complete(BIG)
    else:
        with pytest.raises(NoMoreCalls, match="another call could"):
            client.complete(BIG)
    assert len(model.asked) == is_allowed


def fail(endpoint: Endpoint, path: Path) -> list[LoggedCall]:
    with CallLog(path) as log, pytest.raises(Exception, match="did not answer"):
        client_of(endpoint, log).complete(BIG)
    return read_calls(path)


def test_a_call_that_may_have_been_charged_for_nothing_is_written_down_with_all_it_could_take(tmp_path: Path):
    (call,) = fail(Failing(), tmp_path / "log")
    assert (call.most, call.most_dollars, call.priced_by) == (Tokens(input=100, output=900), 10.0, "a list")
    assert (call.key, call.trouble) == (BIG.place, "garbage")


@pytest.mark.parametrize("endpoint", [Failing(was_sent=False), Failing(429), Failing(500), Failing(400)])
def test_a_call_that_was_refused_or_not_sent_costs_nothing(endpoint: Failing, tmp_path: Path):
    (call,) = fail(endpoint, tmp_path / "log")
    assert call.spending == Spending()


def test_an_answer_that_does_not_say_what_it_took_counts_with_all_it_could_take():
    """As from servers that leave usage out: it is not reported as used, but no cap is passed by it."""
    log = CallLog()
    reply = client_of(Silent(), log, Caps(dollars=25.0)).complete(BIG)
    assert (reply.text, reply.tokens, reply.dollars) == ("x", Tokens(), None)
    assert log.spent == Spending(tokens=1000, dollars=10.0)
    assert client_of(Silent(), CallLog(), price=free).complete(BIG).dollars == 0.0
