"""Caps, prices and sums."""

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest
from fmlbench.models.chat import CallKey, Message, Request, Tokens, estimate_tokens
from fmlbench.models.meter import Caps, Meter, Spending, require_price, spending, total
from fmlbench.models.names import ModelName
from fmlbench.models.prices import Price, free, listed, unknown

REQUEST = Request(
    place=CallKey(step=1, purpose="test", turn=0),
    system="s" * 30,
    messages=(Message(role="user", text="u" * 270),),
    max_output_tokens=900,
)
"""At most 100 tokens of input, since three bytes are a token at least, and 900 of output."""
MOST = Tokens(input=100, output=900)


def a_cent_a_token(tokens: Tokens) -> Price:
    return Price((tokens.input + tokens.output) / 100, "a list")


def test_tokens_are_estimated_from_bytes():
    assert estimate_tokens(300) == 100
    assert estimate_tokens(301) == 101
    assert REQUEST.model_copy(update={"system": "水"}).size_bytes == 273


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
def test_a_call_that_could_break_a_cap_does_not_fit(caps: Caps, spent: Spending, is_allowed: bool):
    meter = Meter(caps, a_cent_a_token, lambda: spent, must_fit=True)
    if is_allowed:
        with meter.reserve(MOST):
            pass
    else:
        with pytest.raises(NoMoreCalls, match="another call could"), meter.reserve(MOST):
            pass


def test_a_cap_in_dollars_needs_a_price():
    with pytest.raises(BadRequest, match="price of test/counting is unknown"):
        require_price("test/counting", unknown)
    require_price("test/counting", free)


@pytest.mark.parametrize("must_fit", [True, False])
def test_a_cap_in_dollars_ends_with_the_first_call_whose_price_is_not_known(must_fit: bool):
    meter = Meter(Caps(dollars=1000.0), a_cent_a_token, lambda: Spending(is_priced=False), must_fit)
    with pytest.raises(NoMoreCalls, match="the price of a call is unknown"), meter.reserve(MOST):
        pass


def test_a_call_of_unknown_price_does_not_fit_a_cap_in_dollars():
    meter = Meter(Caps(dollars=1000.0), unknown, Spending, must_fit=True)
    with pytest.raises(NoMoreCalls, match="the price of a call is unknown"), meter.reserve(MOST):
        pass


def test_spendings_add_up_and_are_priced_if_all_are():
    assert total([Spending(1, 0.5), Spending(2, 0.25)]) == Spending(3, 0.75)
    assert total([Spending(1, 0.5), spending(Tokens(input=1, output=2), None)]) == Spending(4, 0.5, is_priced=False)


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
