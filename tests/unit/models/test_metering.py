from dataclasses import dataclass
from pathlib import Path

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest
from fmlbench.models.chat import CallFailed, CallKey, Message, Reply, Request, Tokens, estimate_tokens
from fmlbench.models.exchanges import ExchangeBook
from fmlbench.models.metering import Caps, Metered, Spending, UnconfirmedCall, spending, total
from fmlbench.models.names import ModelName
from fmlbench.models.prices import Price, free, listed, unknown
from fmlbench.models.recorded import Recorded

REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="s" * 30,
    messages=(Message(role="user", text="u" * 270),),
    max_output_tokens=900,
)
"""At most 100 tokens of input, since three bytes are a token at least, and 900 of output."""


@dataclass
class Counting:
    name: str = "test/counting"
    calls: int = 0

    def complete(self, request: Request) -> Reply:
        self.calls += 1
        return Reply(text="x", tokens=Tokens(input=80, output=20))


@dataclass
class Silent:
    name: str = "test/silent"

    def complete(self, request: Request) -> Reply:
        return Reply(text="x")


@dataclass
class Failing:
    failure: CallFailed
    name: str = "test/failing"

    def complete(self, request: Request) -> Reply:
        raise self.failure


def a_cent_a_token(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 100, "a list")


def test_tokens_are_estimated_from_bytes():
    assert estimate_tokens(300) == 100
    assert estimate_tokens(301) == 101
    assert REQUEST.model_copy(update={"system": "水"}).size_bytes == 273


def test_every_reply_gets_its_price():
    reply = Metered(Counting(), a_cent_a_token, Caps(), Spending).complete(REQUEST)
    assert (reply.dollars, reply.priced_by) == (1.0, "a list")
    assert Metered(Counting(), unknown, Caps(), Spending).complete(REQUEST).dollars is None
    assert Metered(Counting(), free, Caps(), Spending).complete(REQUEST).dollars == 0.0


@pytest.mark.parametrize(
    ("caps", "spent", "is_allowed"),
    [
        (Caps(tokens=1000), Spending(), True),
        (Caps(tokens=999), Spending(), False),
        (Caps(tokens=5000), Spending(tokens=4000), True),
        (Caps(tokens=5000), Spending(tokens=4001), False),
        (Caps(dollars=10.0), Spending(), True),
        (Caps(dollars=9.99), Spending(), False),
        (Caps(dollars=20.0), Spending(dollars=10.01), False),
    ],
)
def test_a_call_that_could_break_a_cap_is_not_made(caps: Caps, spent: Spending, is_allowed: bool):
    model = Counting()
    metered = Metered(model, a_cent_a_token, caps, lambda: spent)
    if is_allowed:
        metered.complete(REQUEST)
    else:
        with pytest.raises(NoMoreCalls, match="another call could"):
            metered.complete(REQUEST)
    assert model.calls == is_allowed


def test_a_cap_in_dollars_needs_a_price():
    with pytest.raises(BadRequest, match="price of test/counting is unknown"):
        Metered(Counting(), unknown, Caps(dollars=1.0), Spending).complete(REQUEST)


def test_a_cap_in_dollars_ends_with_the_first_call_whose_price_is_not_known():
    model = Counting()
    metered = Metered(model, a_cent_a_token, Caps(dollars=1000.0), lambda: Spending(is_priced=False))
    with pytest.raises(NoMoreCalls, match="the price of a call is unknown"):
        metered.complete(REQUEST)
    assert model.calls == 0


def test_spendings_add_up_and_are_priced_if_all_are():
    assert total([Spending(1, 0.5), Spending(2, 0.25)]) == Spending(3, 0.75)
    assert total([Spending(1, 0.5), spending(Tokens(input=1, output=2), None)]) == Spending(4, 0.5, is_priced=False)


def test_a_call_that_may_have_been_charged_for_nothing_is_written_down_with_all_it_could_take():
    lost: list[UnconfirmedCall] = []
    model = Failing(CallFailed("garbage", is_transient=True, may_cost=True))
    with pytest.raises(CallFailed):
        Metered(model, a_cent_a_token, Caps(), Spending, lost.append).complete(REQUEST)
    (call,) = lost
    assert (call.most, call.dollars, call.priced_by) == (Tokens(input=100, output=900), 10.0, "a list")
    assert (call.model, call.place, call.reason) == ("test/failing", REQUEST.place, "garbage")


def test_an_answer_that_does_not_say_what_it_took_counts_with_all_it_could_take():
    """As from servers that leave usage out: it is not reported as used, but no cap is passed by it."""
    lost: list[UnconfirmedCall] = []
    reply = Metered(Silent(), a_cent_a_token, Caps(), Spending, lost.append).complete(REQUEST)
    assert (reply.text, reply.tokens, reply.dollars) == ("x", Tokens(), None)
    assert [call.most for call in lost] == [Tokens(input=100, output=900)]
    assert Metered(Silent(), free, Caps(), Spending).complete(REQUEST).dollars == 0.0


def test_an_answer_that_does_not_say_what_it_took_leaves_a_cap_in_dollars_to_be_kept(tmp_path: Path):
    with ExchangeBook(tmp_path / "exchanges.jsonl") as book:
        metered = Recorded(Metered(Silent(), a_cent_a_token, Caps(dollars=25.0), lambda: book.spent, book.lose), book)
        metered.complete(REQUEST)
        assert book.spent == Spending(tokens=1000, dollars=10.0)


def test_a_call_that_was_refused_costs_nothing():
    lost: list[UnconfirmedCall] = []
    with pytest.raises(CallFailed):
        Metered(Failing(CallFailed("HTTP 429", is_transient=True)), free, Caps(), Spending, lost.append).complete(
            REQUEST
        )
    assert not lost


def test_prices_come_from_the_list():
    # The list's own figures for gpt-4o: $2.50 a million in, half of that if cached, $10 out.
    price = listed(ModelName("openai", "gpt-4o"))
    assert price(Tokens(input=1_000_000)).dollars == pytest.approx(2.5)
    assert price(Tokens(input=1_000_000, cached=1_000_000)).dollars == pytest.approx(1.25)
    assert price(Tokens(output=1_000_000)).dollars == pytest.approx(10.0)
    assert price(Tokens()).priced_by.startswith("genai-prices 0.")


@pytest.mark.parametrize("name", [ModelName("openai", "no-such-model-9"), ModelName("nobody", "gpt-4o")])
def test_a_model_that_is_not_on_the_list_has_no_price(name: ModelName):
    assert listed(name)(Tokens(input=10, output=10)).dollars is None


def test_counts_that_cannot_be_have_no_price():
    price = listed(ModelName("openai", "gpt-4o"))
    assert price(Tokens(input=10, output=1, cached=20)) == Price(None)
