"""What becomes of a request: sent on, refused, counted, written down."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models import call_log
from fmlbench.models.call_log import CallLog, LoggedCall, read_calls
from fmlbench.models.chat import Tokens
from fmlbench.models.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from fmlbench.models.gateway import Gateway
from fmlbench.models.meter import Caps, Meter, Spending
from fmlbench.models.prices import Price, unknown
from fmlbench.models.proxy.relay import ModelRequest, Relay
from fmlbench.models.replay import Replay, open_replay
from fmlbench.models.upstream import ConnectionLost, Endpoint, Incoming, Outgoing
from fmlbench.records.log import RecordLog
from fmlbench.testing.models.tool_wire import INPUT, OUTPUT, TOOL_DIALECTS

WIRE = TOOL_DIALECTS["/anthropic/v1/messages"]
WHOLE = json.dumps(WIRE.whole("hello", 0)).encode()
STREAM = list(WIRE.events("hello", 0))


def price(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 1000, "a list")


class FakeEndpoint:
    """Answers with the same parts every time, and remembers what was sent."""

    def __init__(self, *parts: bytes, status: int = 200, lost_after: int | None = None) -> None:
        self.sent: list[Outgoing] = []
        self._parts, self._status, self._lost_after = parts, status, lost_after

    def send(self, outgoing: Outgoing) -> Incoming:
        self.sent.append(outgoing)
        if self._lost_after == 0:
            raise ConnectionLost("no server", was_sent=False)
        return Incoming(self._status, {"content-type": "application/json"}, self._stream())

    def _stream(self) -> Iterator[bytes]:
        for number, part in enumerate(self._parts, start=1):
            yield part
            if number == self._lost_after:
                raise ConnectionLost("it broke off")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[CallLog]:
    with CallLog(tmp_path / "calls.jsonl") as log:
        yield log


@pytest.fixture
def written(tmp_path: Path) -> Callable[[], list[LoggedCall]]:
    return lambda: read_calls(tmp_path / "calls.jsonl")


def relay_to(
    endpoint: Endpoint, log: CallLog, caps: Caps | None = None, pricing: Callable[[Tokens], Price] = price
) -> Relay:
    meter = Meter(caps or Caps(), pricing, lambda: log.spent)
    return Relay("mine", (ANTHROPIC_MESSAGES,), "", Gateway(endpoint, meter, log))


def asked(body: object, path: str = "/v1/messages", method: str = "POST") -> ModelRequest:
    headers = {"x-api-key": "dummy", "authorization": "Bearer x", "anthropic-version": "1", "cookie": "c"}
    query = {"beta": "true", "key": "secret", "fields": "content"}
    return ModelRequest(method, path, query, headers, json.dumps(body).encode())


def heard(incoming: Incoming) -> bytes:
    return b"".join(incoming.parts)


def error_in(incoming: Incoming) -> str:
    return json.loads(heard(incoming))["error"]["message"]


def test_a_call_is_sent_on_handed_back_counted_and_written_down(log: CallLog, written: Callable[[], list[LoggedCall]]):
    endpoint = FakeEndpoint(*STREAM)
    relay = relay_to(endpoint, log)
    assert heard(relay.answer(asked({"model": "other", "max_tokens": 9}))) == b"".join(STREAM)
    (call,) = written()
    assert json.loads(call.request) == {"model": "mine", "max_tokens": 9}
    assert (call.tokens.input, call.tokens.output, call.dollars) == (INPUT, OUTPUT, 1.05)
    assert (call.status, call.trouble, call.is_estimate) == (200, "", False)
    assert log.usage().dollars == 1.05


def test_nothing_of_the_program_s_keys_and_cookies_or_what_leaves_tokens_out_is_sent_on(log: CallLog):
    endpoint = FakeEndpoint(WHOLE)
    heard(relay_to(endpoint, log).answer(asked({})))
    assert endpoint.sent[0].headers == {"anthropic-version": "1"}
    assert endpoint.sent[0].path == "/v1/messages?beta=true"


def test_parts_are_handed_on_as_they_come(log: CallLog):
    came: list[str] = []

    class Slow(FakeEndpoint):
        def _stream(self) -> Iterator[bytes]:
            for part in STREAM:
                came.append("sent")
                yield part

    came.extend("handed on" for _ in relay_to(Slow(), log).answer(asked({})).parts)
    assert came == ["sent", "handed on"] * len(STREAM)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/models"), ("POST", "/v1/files"), ("DELETE", "/v1/messages"), ("GET", "/")]
)
def test_what_is_not_an_endpoint_of_models_is_refused_and_remembered(log: CallLog, method: str, path: str):
    endpoint = FakeEndpoint(WHOLE)
    relay = relay_to(endpoint, log)
    answer = relay.answer(asked({}, path, method))
    assert (answer.status, endpoint.sent) == (404, [])
    assert path in error_in(answer)
    assert len(relay.refusals) == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_a_body_that_is_no_object_is_refused(log: CallLog, body: bytes):
    endpoint = FakeEndpoint(WHOLE)
    answer = relay_to(endpoint, log).answer(ModelRequest("POST", "/v1/messages", {}, {}, body))
    assert (answer.status, endpoint.sent) == (400, [])


def test_counting_tokens_costs_nothing(log: CallLog):
    heard(relay_to(FakeEndpoint(b'{"input_tokens": 7}'), log).answer(asked({}, "/v1/messages/count_tokens")))
    usage = log.usage()
    assert (usage.calls, usage.input_tokens, usage.dollars) == (1, 0, 0.0)


@pytest.mark.parametrize("caps", [Caps(tokens=INPUT + OUTPUT + 1), Caps(dollars=1.06)])
def test_a_cap_is_passed_by_one_call_at_most(log: CallLog, caps: Caps):
    endpoint = FakeEndpoint(WHOLE)
    relay = relay_to(endpoint, log, caps)
    for _ in range(2):
        assert heard(relay.answer(asked({}))) == WHOLE
    refused = relay.answer(asked({}))
    assert (refused.status, refused.headers["x-should-retry"]) == (400, "false")
    assert "No more calls" in error_in(refused)
    assert len(endpoint.sent) == 2


def test_calls_that_come_together_do_not_pass_a_cap_together(log: CallLog):
    endpoint = FakeEndpoint(WHOLE)
    relay = relay_to(endpoint, log, Caps(tokens=1))
    statuses: list[int] = []

    def ask() -> None:
        answer = relay.answer(asked({}))
        heard(answer)
        statuses.append(answer.status)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [400] * 7
    assert len(endpoint.sent) == 1


def test_calls_that_wait_near_a_cap_are_not_sent_after_the_end(log: CallLog):
    endpoint = FakeEndpoint(WHOLE)
    relay = relay_to(endpoint, log, Caps(tokens=100_000))
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(error_in(relay.answer(asked({}))))) for _ in range(3)]
    with relay.gateway.meter.reserve(Tokens(output=100_000)):
        for thread in threads:
            thread.start()
        relay.gateway.cut_off()
    for thread in threads:
        thread.join()
    assert (said, endpoint.sent) == (["No more calls: the run is over."] * 3, [])


def test_calls_go_side_by_side_while_there_is_room():
    meter = Meter(Caps(tokens=100), price, Spending)
    with meter.reserve(Tokens(input=10)), meter.reserve(Tokens(input=10)):
        pass


def test_a_resumed_run_goes_on_counting(tmp_path: Path):
    path = tmp_path / "calls.jsonl"
    with CallLog(path) as log:
        heard(relay_to(FakeEndpoint(WHOLE), log, Caps(tokens=1)).answer(asked({})))
    with CallLog(path) as again:
        assert relay_to(FakeEndpoint(WHOLE), again, Caps(tokens=1)).answer(asked({})).status == 400
        assert again.usage(since_call=1).calls == 0


def test_an_unknown_price_is_none_and_never_a_guess(log: CallLog):
    heard(relay_to(FakeEndpoint(WHOLE), log, pricing=unknown).answer(asked({})))
    assert log.usage().dollars is None


def test_a_cap_in_dollars_ends_with_the_first_call_whose_price_is_not_known(log: CallLog):
    """As where more tokens are said to be cached than were read: the list refuses to price that."""
    endpoint = FakeEndpoint(WHOLE)
    relay = relay_to(endpoint, log, Caps(dollars=1000.0), pricing=unknown)
    assert heard(relay.answer(asked({}))) == WHOLE
    assert "the price of a call is unknown" in error_in(relay.answer(asked({})))


def test_a_call_that_cannot_be_written_down_makes_place_all_the_same(log: CallLog):
    def confused(tokens: Tokens) -> Price:
        if tokens.cached > 0:
            raise ZeroDivisionError
        return price(tokens)

    relay = relay_to(FakeEndpoint(WHOLE), log, Caps(tokens=1), confused)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            heard(relay.answer(asked({})))


def test_a_line_that_is_broken_makes_place_all_the_same(log: CallLog):
    class Broken:
        def send(self, outgoing: Outgoing) -> Incoming:
            raise ZeroDivisionError

    relay = relay_to(Broken(), log, Caps(tokens=1))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            relay.answer(asked({}))


@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
def test_an_error_of_the_provider_s_is_handed_back_and_costs_nothing(log: CallLog, status: int):
    answer = relay_to(FakeEndpoint(b'{"error": "injected fault"}', status=status), log).answer(asked({}))
    assert (answer.status, heard(answer)) == (status, b'{"error": "injected fault"}')
    assert log.spent == Spending()
    assert bool(log.failure) is (status != 400)


def test_a_provider_that_cannot_be_reached_is_an_error_that_may_pass(log: CallLog):
    answer = relay_to(FakeEndpoint(lost_after=0), log).answer(asked({}))
    assert answer.status == 502
    assert "x-should-retry" not in answer.headers
    assert log.spent == Spending()
    assert "no server" in log.failure


def test_an_answer_that_breaks_off_counts_as_far_as_it_came(log: CallLog, written: Callable[[], list[LoggedCall]]):
    answer = relay_to(FakeEndpoint(*STREAM, lost_after=3), log).answer(asked({}))
    with pytest.raises(ConnectionLost):
        heard(answer)
    (call,) = written()
    assert call.is_estimate
    assert call.tokens.input == INPUT
    assert call.tokens.output >= 1
    assert "broke off" in log.failure


def test_garbage_is_handed_back_and_counted_by_its_size(log: CallLog, written: Callable[[], list[LoggedCall]]):
    heard(relay_to(FakeEndpoint(b"<html>" * 50), log).answer(asked({})))
    (call,) = written()
    assert (call.is_estimate, call.tokens.output) == (True, 100)


@pytest.mark.parametrize(("read", "wrote"), [(0, 0), (1e5, "9"), (9, 0)])
def test_an_answer_that_says_it_took_nothing_did_not_say_what_it_took(log: CallLog, read: object, wrote: object):
    answer = {"usage": {"input_tokens": read, "output_tokens": wrote}}
    heard(relay_to(FakeEndpoint(json.dumps(answer).encode()), log).answer(asked({"max_tokens": 500})))
    assert log.spent == Spending(tokens=512, dollars=0.512)


PICTURE = {"type": "image", "source": {"type": "base64", "data": "AA"}}


@pytest.mark.parametrize(
    ("said", "is_alone"), [(PICTURE, True), ({"type": "tool_use", "input": {"source": "x"}}, False)]
)
def test_pictures_and_documents_may_be_any_number_of_tokens(log: CallLog, said: dict[str, object], is_alone: bool):
    """So near a cap one such call goes after the other."""
    body = {"max_tokens": 10, "messages": [{"role": "user", "content": [said]}]}
    heard(relay_to(FakeEndpoint(b"<html>"), log).answer(asked(body)))
    assert (log.spent.tokens > 1_000_000) is is_alone


def test_calls_that_cannot_be_written_down_are_counted_and_the_last(log: CallLog, monkeypatch: pytest.MonkeyPatch):
    """A program may fill the disk; a cap would never be reached then."""

    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RecordLog, "append", fill)
    endpoint = FakeEndpoint(WHOLE)
    relay = relay_to(endpoint, log)
    assert heard(relay.answer(asked({}))) == WHOLE
    assert log.spent.tokens == INPUT + OUTPUT
    assert "cannot be written: No space left on device" in error_in(relay.answer(asked({})))
    assert len(endpoint.sent) == 1


def test_a_record_has_an_end(log: CallLog, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(call_log, "MOST_BYTES", 100)
    relay = relay_to(FakeEndpoint(WHOLE), log)
    heard(relay.answer(asked({})))
    assert "the record of calls is full" in error_in(relay.answer(asked({})))


@pytest.mark.parametrize(("status", "path"), [(400, "/v1/messages"), (200, "/v1/messages/count_tokens")])
def test_what_costs_nothing_is_kept_as_far_as_it_tells_something(
    log: CallLog, written: Callable[[], list[LoggedCall]], status: int, path: str
):
    answer = b'{"input_tokens": 7}' if status == 200 else b"x" * 9000
    heard(relay_to(FakeEndpoint(answer, status=status), log).answer(asked({"messages": "y" * 9000}, path)))
    (call,) = written()
    assert len(call.request) == 2000
    assert call.answer.encode() == answer[:2000]


def test_what_did_not_say_what_it_took_counts_against_caps_with_all_it_could_take(log: CallLog):
    """The body that is sent on is {"max_tokens": 500, "model": "mine"}: 36 bytes, at most 12 tokens."""
    heard(relay_to(FakeEndpoint(b"<html>"), log).answer(asked({"max_tokens": 500})))
    assert log.spent == Spending(tokens=512, dollars=0.512)
    assert log.usage().output_tokens == 2


def test_a_call_without_an_answer_still_counts_after_a_resume(tmp_path: Path):
    path = tmp_path / "calls.jsonl"
    with CallLog(path) as log:
        heard(relay_to(FakeEndpoint(b"<html>"), log).answer(asked({"max_tokens": 500})))
    with CallLog(path) as again:
        assert again.spent == Spending(tokens=512, dollars=0.512)


def test_a_call_that_is_cut_off_at_the_end_is_written_down_once(log: CallLog, written: Callable[[], list[LoggedCall]]):
    relay = relay_to(FakeEndpoint(*STREAM), log)
    answer = relay.answer(asked({}))
    next(iter(answer.parts))
    relay.gateway.cut_off()
    heard(answer)
    assert [call.trouble for call in written()] == ["cut off at the end"]


def test_a_record_answers_in_the_order_it_was_made_and_then_no_more(tmp_path: Path):
    path = tmp_path / "calls.jsonl"
    with CallLog(path) as log:
        for answer in (WHOLE, b'{"second": 2}'):
            heard(relay_to(FakeEndpoint(answer), log).answer(asked({"nonce": answer.decode()})))
        heard(relay_to(FakeEndpoint(b"{}", status=500), log).answer(asked({})))
    with CallLog(tmp_path / "replay.jsonl") as log:
        relay = relay_to(open_replay(path, done=tmp_path / "replay.jsonl"), log)
        assert [heard(relay.answer(asked({}))) for _ in range(2)] == [WHOLE, b'{"second": 2}']
        assert "no further answer" in error_in(relay.answer(asked({})))
        assert log.usage().calls == 2


def test_an_interrupted_replay_continues_where_it_stopped(tmp_path: Path):
    path, done = tmp_path / "calls.jsonl", tmp_path / "replay.jsonl"
    with CallLog(path) as log:
        for answer in (b'{"first": 1}', b'{"second": 2}'):
            heard(relay_to(FakeEndpoint(answer), log).answer(asked({})))
    for expected in (b'{"first": 1}', b'{"second": 2}'):
        with CallLog(done) as log:
            assert heard(relay_to(open_replay(path, done=done), log).answer(asked({}))) == expected


def test_a_record_that_is_empty_answers_nothing():
    with pytest.raises(NoMoreCalls):
        Replay(()).send(Outgoing("/v1/messages", {}, b""))
