"""What becomes of a request: sent on, refused, counted, written down."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.chat import Tokens
from fmlbench.models.metering import Caps, Spending
from fmlbench.models.prices import Price, unknown
from fmlbench.models.proxy import wire_book
from fmlbench.models.proxy.calls import Books
from fmlbench.models.proxy.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from fmlbench.models.proxy.meter import Meter
from fmlbench.models.proxy.relay import ModelRequest, Relay
from fmlbench.models.proxy.replay import Recording, read_recording
from fmlbench.models.proxy.upstream import Incoming, Line, LineLost, Outgoing
from fmlbench.models.proxy.wire_book import WIRE_EXCHANGES, WireBook, WireExchange
from fmlbench.records.log import RecordLog, read_records
from fmlbench.testing.models.tool_wire import INPUT, OUTPUT, TOOL_DIALECTS

WIRE = TOOL_DIALECTS["/anthropic/v1/messages"]
WHOLE = json.dumps(WIRE.whole("hello", 0)).encode()
STREAM = list(WIRE.events("hello", 0))


def price(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 1000, "a list")


class FakeLine:
    """Answers with the same parts every time, and remembers what was sent."""

    def __init__(self, *parts: bytes, status: int = 200, lost_after: int | None = None) -> None:
        self.sent: list[Outgoing] = []
        self._parts, self._status, self._lost_after = parts, status, lost_after

    def send(self, outgoing: Outgoing) -> Incoming:
        self.sent.append(outgoing)
        if self._lost_after == 0:
            raise LineLost("no server", was_sent=False)
        return Incoming(self._status, {"content-type": "application/json"}, self._stream())

    def _stream(self) -> Iterator[bytes]:
        for number, part in enumerate(self._parts, start=1):
            yield part
            if number == self._lost_after:
                raise LineLost("it broke off")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[WireBook]:
    with WireBook(tmp_path / "exchanges.jsonl") as book:
        yield book


@pytest.fixture
def written(tmp_path: Path) -> Callable[[], list[WireExchange]]:
    return lambda: read_records(tmp_path / "exchanges.jsonl", WIRE_EXCHANGES)


def relay_to(line: Line, book: WireBook, caps: Caps | None = None, pricing: Callable[[Tokens], Price] = price) -> Relay:
    meter = Meter(caps or Caps(), pricing, lambda: book.spent)
    return Relay("mine", (ANTHROPIC_MESSAGES,), "", line, meter, Books(pricing, book))


def asked(body: object, path: str = "/v1/messages", method: str = "POST") -> ModelRequest:
    headers = {"x-api-key": "dummy", "authorization": "Bearer x", "anthropic-version": "1", "cookie": "c"}
    query = {"beta": "true", "key": "secret", "fields": "content"}
    return ModelRequest(method, path, query, headers, json.dumps(body).encode())


def heard(incoming: Incoming) -> bytes:
    return b"".join(incoming.parts)


def error_in(incoming: Incoming) -> str:
    return json.loads(heard(incoming))["error"]["message"]


def test_a_call_is_sent_on_handed_back_counted_and_written_down(
    book: WireBook, written: Callable[[], list[WireExchange]]
):
    line = FakeLine(*STREAM)
    relay = relay_to(line, book)
    assert heard(relay.answer(asked({"model": "other", "max_tokens": 9}))) == b"".join(STREAM)
    (exchange,) = written()
    assert json.loads(exchange.request) == {"model": "mine", "max_tokens": 9}
    assert (exchange.tokens.input, exchange.tokens.output, exchange.dollars) == (INPUT, OUTPUT, 1.05)
    assert (exchange.status, exchange.trouble, exchange.is_estimate) == (200, "", False)
    assert book.usage().dollars == 1.05


def test_nothing_of_the_program_s_keys_and_cookies_or_what_leaves_tokens_out_is_sent_on(book: WireBook):
    line = FakeLine(WHOLE)
    heard(relay_to(line, book).answer(asked({})))
    assert line.sent[0].headers == {"anthropic-version": "1"}
    assert line.sent[0].path == "/v1/messages?beta=true"


def test_parts_are_handed_on_as_they_come(book: WireBook):
    came: list[str] = []

    class Slow(FakeLine):
        def _stream(self) -> Iterator[bytes]:
            for part in STREAM:
                came.append("sent")
                yield part

    came.extend("handed on" for _ in relay_to(Slow(), book).answer(asked({})).parts)
    assert came == ["sent", "handed on"] * len(STREAM)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/models"), ("POST", "/v1/files"), ("DELETE", "/v1/messages"), ("GET", "/")]
)
def test_what_is_not_an_endpoint_of_models_is_refused_and_remembered(book: WireBook, method: str, path: str):
    line = FakeLine(WHOLE)
    relay = relay_to(line, book)
    answer = relay.answer(asked({}, path, method))
    assert (answer.status, line.sent) == (404, [])
    assert path in error_in(answer)
    assert len(relay.refusals) == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_a_body_that_is_no_object_is_refused(book: WireBook, body: bytes):
    line = FakeLine(WHOLE)
    answer = relay_to(line, book).answer(ModelRequest("POST", "/v1/messages", {}, {}, body))
    assert (answer.status, line.sent) == (400, [])


def test_counting_tokens_costs_nothing(book: WireBook):
    heard(relay_to(FakeLine(b'{"input_tokens": 7}'), book).answer(asked({}, "/v1/messages/count_tokens")))
    usage = book.usage()
    assert (usage.calls, usage.input_tokens, usage.dollars) == (1, 0, 0.0)


@pytest.mark.parametrize("caps", [Caps(tokens=INPUT + OUTPUT + 1), Caps(dollars=1.06)])
def test_a_cap_is_passed_by_one_call_at_most(book: WireBook, caps: Caps):
    line = FakeLine(WHOLE)
    relay = relay_to(line, book, caps)
    for _ in range(2):
        assert heard(relay.answer(asked({}))) == WHOLE
    refused = relay.answer(asked({}))
    assert (refused.status, refused.headers["x-should-retry"]) == (400, "false")
    assert "No more calls" in error_in(refused)
    assert len(line.sent) == 2


def test_calls_that_come_together_do_not_pass_a_cap_together(book: WireBook):
    line = FakeLine(WHOLE)
    relay = relay_to(line, book, Caps(tokens=1))
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
    assert len(line.sent) == 1


def test_calls_that_wait_near_a_cap_are_not_sent_after_the_end(book: WireBook):
    line = FakeLine(WHOLE)
    relay = relay_to(line, book, Caps(tokens=100_000))
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(error_in(relay.answer(asked({}))))) for _ in range(3)]
    with relay.meter.call(Tokens(output=100_000)):
        for thread in threads:
            thread.start()
        relay.cut_off()
    for thread in threads:
        thread.join()
    assert (said, line.sent) == (["No more calls: the run is over."] * 3, [])


def test_calls_go_side_by_side_while_there_is_room():
    meter = Meter(Caps(tokens=100), price, Spending)
    with meter.call(Tokens(input=10)), meter.call(Tokens(input=10)):
        pass


def test_a_resumed_run_goes_on_counting(tmp_path: Path):
    path = tmp_path / "exchanges.jsonl"
    with WireBook(path) as book:
        heard(relay_to(FakeLine(WHOLE), book, Caps(tokens=1)).answer(asked({})))
    with WireBook(path) as again:
        assert relay_to(FakeLine(WHOLE), again, Caps(tokens=1)).answer(asked({})).status == 400
        assert again.usage(since_call=1).calls == 0


def test_an_unknown_price_is_none_and_never_a_guess(book: WireBook):
    heard(relay_to(FakeLine(WHOLE), book, pricing=unknown).answer(asked({})))
    assert book.usage().dollars is None


def test_a_cap_in_dollars_ends_with_the_first_call_whose_price_is_not_known(book: WireBook):
    """As where more tokens are said to be cached than were read: the list refuses to price that."""
    line = FakeLine(WHOLE)
    relay = relay_to(line, book, Caps(dollars=1000.0), pricing=unknown)
    assert heard(relay.answer(asked({}))) == WHOLE
    assert "the price of a call is unknown" in error_in(relay.answer(asked({})))


def test_a_call_that_cannot_be_written_down_makes_place_all_the_same(book: WireBook):
    def confused(tokens: Tokens) -> Price:
        if tokens.cached > 0:
            raise ZeroDivisionError
        return price(tokens)

    relay = relay_to(FakeLine(WHOLE), book, Caps(tokens=1), confused)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            heard(relay.answer(asked({})))


def test_a_line_that_is_broken_makes_place_all_the_same(book: WireBook):
    class Broken:
        def send(self, outgoing: Outgoing) -> Incoming:
            raise ZeroDivisionError

    relay = relay_to(Broken(), book, Caps(tokens=1))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            relay.answer(asked({}))


@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
def test_an_error_of_the_provider_s_is_handed_back_and_costs_nothing(book: WireBook, status: int):
    answer = relay_to(FakeLine(b'{"error": "injected fault"}', status=status), book).answer(asked({}))
    assert (answer.status, heard(answer)) == (status, b'{"error": "injected fault"}')
    assert book.spent == Spending()
    assert bool(book.failure) is (status != 400)


def test_a_provider_that_cannot_be_reached_is_an_error_that_may_pass(book: WireBook):
    answer = relay_to(FakeLine(lost_after=0), book).answer(asked({}))
    assert answer.status == 502
    assert "x-should-retry" not in answer.headers
    assert book.spent == Spending()
    assert "no server" in book.failure


def test_an_answer_that_breaks_off_counts_as_far_as_it_came(book: WireBook, written: Callable[[], list[WireExchange]]):
    answer = relay_to(FakeLine(*STREAM, lost_after=3), book).answer(asked({}))
    with pytest.raises(LineLost):
        heard(answer)
    (exchange,) = written()
    assert exchange.is_estimate
    assert exchange.tokens.input == INPUT
    assert exchange.tokens.output >= 1
    assert "broke off" in book.failure


def test_garbage_is_handed_back_and_counted_by_its_size(book: WireBook, written: Callable[[], list[WireExchange]]):
    heard(relay_to(FakeLine(b"<html>" * 50), book).answer(asked({})))
    (exchange,) = written()
    assert (exchange.is_estimate, exchange.tokens.output) == (True, 100)


@pytest.mark.parametrize(("read", "wrote"), [(0, 0), (1e5, "9"), (9, 0)])
def test_an_answer_that_says_it_took_nothing_did_not_say_what_it_took(book: WireBook, read: object, wrote: object):
    answer = {"usage": {"input_tokens": read, "output_tokens": wrote}}
    heard(relay_to(FakeLine(json.dumps(answer).encode()), book).answer(asked({"max_tokens": 500})))
    assert book.spent == Spending(tokens=512, dollars=0.512)


PICTURE = {"type": "image", "source": {"type": "base64", "data": "AA"}}


@pytest.mark.parametrize(
    ("said", "is_alone"), [(PICTURE, True), ({"type": "tool_use", "input": {"source": "x"}}, False)]
)
def test_pictures_and_documents_may_be_any_number_of_tokens(book: WireBook, said: dict[str, object], is_alone: bool):
    """So near a cap one such call goes after the other."""
    body = {"max_tokens": 10, "messages": [{"role": "user", "content": [said]}]}
    heard(relay_to(FakeLine(b"<html>"), book).answer(asked(body)))
    assert (book.spent.tokens > 1_000_000) is is_alone


def test_calls_that_cannot_be_written_down_are_counted_and_the_last(book: WireBook, monkeypatch: pytest.MonkeyPatch):
    """A program may fill the disk; a cap would never be reached then."""

    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RecordLog, "append", fill)
    line = FakeLine(WHOLE)
    relay = relay_to(line, book)
    assert heard(relay.answer(asked({}))) == WHOLE
    assert book.spent.tokens == INPUT + OUTPUT
    assert "cannot be written: No space left on device" in error_in(relay.answer(asked({})))
    assert len(line.sent) == 1


def test_a_record_has_an_end(book: WireBook, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wire_book, "MOST_BYTES", 100)
    relay = relay_to(FakeLine(WHOLE), book)
    heard(relay.answer(asked({})))
    assert "the record of calls is full" in error_in(relay.answer(asked({})))


@pytest.mark.parametrize(("status", "path"), [(400, "/v1/messages"), (200, "/v1/messages/count_tokens")])
def test_what_costs_nothing_is_kept_as_far_as_it_tells_something(
    book: WireBook, written: Callable[[], list[WireExchange]], status: int, path: str
):
    answer = b'{"input_tokens": 7}' if status == 200 else b"x" * 9000
    heard(relay_to(FakeLine(answer, status=status), book).answer(asked({"messages": "y" * 9000}, path)))
    (exchange,) = written()
    assert len(exchange.request) == 2000
    assert exchange.answer.encode() == answer[:2000]


def test_what_did_not_say_what_it_took_counts_against_caps_with_all_it_could_take(book: WireBook):
    """The body that is sent on is {"max_tokens": 500, "model": "mine"}: 36 bytes, at most 12 tokens."""
    heard(relay_to(FakeLine(b"<html>"), book).answer(asked({"max_tokens": 500})))
    assert book.spent == Spending(tokens=512, dollars=0.512)
    assert book.usage().output_tokens == 2


def test_a_call_without_an_answer_still_counts_after_a_resume(tmp_path: Path):
    path = tmp_path / "exchanges.jsonl"
    with WireBook(path) as book:
        heard(relay_to(FakeLine(b"<html>"), book).answer(asked({"max_tokens": 500})))
    with WireBook(path) as again:
        assert again.spent == Spending(tokens=512, dollars=0.512)


def test_a_call_that_is_cut_off_at_the_end_is_written_down_once(
    book: WireBook, written: Callable[[], list[WireExchange]]
):
    relay = relay_to(FakeLine(*STREAM), book)
    answer = relay.answer(asked({}))
    next(iter(answer.parts))
    relay.cut_off()
    heard(answer)
    assert [exchange.trouble for exchange in written()] == ["cut off at the end"]


def test_a_record_answers_in_the_order_it_was_made_and_then_no_more(tmp_path: Path):
    path = tmp_path / "exchanges.jsonl"
    with WireBook(path) as book:
        for answer in (WHOLE, b'{"second": 2}'):
            heard(relay_to(FakeLine(answer), book).answer(asked({"nonce": answer.decode()})))
        heard(relay_to(FakeLine(b"{}", status=500), book).answer(asked({})))
    with WireBook(tmp_path / "replay.jsonl") as book:
        relay = relay_to(read_recording(path, done=tmp_path / "replay.jsonl"), book)
        assert [heard(relay.answer(asked({}))) for _ in range(2)] == [WHOLE, b'{"second": 2}']
        assert "no further answer" in error_in(relay.answer(asked({})))
        assert book.usage().calls == 2


def test_an_interrupted_replay_continues_where_it_stopped(tmp_path: Path):
    path, done = tmp_path / "exchanges.jsonl", tmp_path / "replay.jsonl"
    with WireBook(path) as book:
        for answer in (b'{"first": 1}', b'{"second": 2}'):
            heard(relay_to(FakeLine(answer), book).answer(asked({})))
    for expected in (b'{"first": 1}', b'{"second": 2}'):
        with WireBook(done) as book:
            assert heard(relay_to(read_recording(path, done=done), book).answer(asked({}))) == expected


def test_a_record_that_is_empty_answers_nothing():
    with pytest.raises(NoMoreCalls):
        Recording(()).send(Outgoing("/v1/messages", {}, b""))
