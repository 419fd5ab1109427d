"""Price every call, and refuse one that could break a cap."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest
from fmlbench.core.record import Record
from fmlbench.core.text import to_valid_utf8
from fmlbench.models.chat import CallFailed, CallKey, ChatModel, Reply, Request, Tokens, estimate_tokens
from fmlbench.models.prices import Price, Pricing


@dataclass(frozen=True)
class Spending:
    """What calls took so far."""

    tokens: int = 0
    dollars: float = 0.0
    """As far as prices are known."""
    is_priced: bool = True
    """Whether they all are."""


def spending(tokens: Tokens, dollars: float | None) -> Spending:
    """What one call took; None where its price is not known."""
    return Spending(tokens.input + tokens.output, dollars or 0.0, is_priced=dollars is not None)


def total(spendings: Iterable[Spending]) -> Spending:
    """What several calls took together."""
    each = list(spendings)
    return Spending(
        tokens=sum(one.tokens for one in each),
        dollars=sum(one.dollars for one in each),
        is_priced=all(one.is_priced for one in each),
    )


@dataclass(frozen=True)
class Caps:
    """What calls may take altogether; None is no limit."""

    tokens: int | None = None
    dollars: float | None = None


class UnconfirmedCall(Record):
    """A call that was sent, and nobody says what it took: nothing came that can be read, or nothing about tokens.

    So it is no part of what is reported as used, but all that it could take counts against
    caps: the provider may charge for it.
    """

    model: str
    place: CallKey
    reason: str
    most: Tokens
    dollars: float | None
    """At most; None where the price is not known."""
    priced_by: str = ""


@dataclass(frozen=True)
class Metered:
    """A model with a price and caps.

    A call is refused if the most that it could take, a full answer, would break a cap. Tokens of the input are
    estimated for that from the size of the text, so a cap can be passed by what one call's estimate is wrong by.
    """

    model: ChatModel
    price: Pricing
    caps: Caps
    spent: Callable[[], Spending]
    lose: Callable[[UnconfirmedCall], None] = field(default=lambda _: None, repr=False)
    """Write down a call of which nobody says what it took."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer, or raise NoMoreCalls or CallFailed."""
        most = Tokens(input=estimate_tokens(request.size_bytes), output=request.max_output_tokens)
        self._require_room(most)
        try:
            reply = self.model.complete(request)
        except CallFailed as failure:
            if failure.may_cost:
                self.lose(self._lost(request.place, failure.reason, most))
            raise
        price = self.price(reply.tokens)
        if reply.tokens == Tokens():
            self.lose(self._lost(request.place, "the answer does not say what it took", most))
            # No tokens cost nothing, but that is not what it cost, unless nothing does.
            price = price if self.price(most).dollars == 0 else Price(None)
        return reply.model_copy(update={"dollars": price.dollars, "priced_by": price.priced_by})

    def _lost(self, place: CallKey, reason: str, most: Tokens) -> UnconfirmedCall:
        price = self.price(most)
        return UnconfirmedCall(
            model=self.name,
            place=place,
            reason=to_valid_utf8(reason),
            most=most,
            dollars=price.dollars,
            priced_by=price.priced_by,
        )

    def _require_room(self, most: Tokens) -> None:
        spent = self.spent()
        tokens = most.input + most.output
        if self.caps.tokens is not None and spent.tokens + tokens > self.caps.tokens:
            raise NoMoreCalls(
                f"another call could take {tokens} tokens, and {spent.tokens} of {self.caps.tokens} are spent"
            )
        if self.caps.dollars is None:
            return
        if not spent.is_priced:
            raise NoMoreCalls(unknown_spending(self.caps.dollars))
        dollars = known_price(self.name, self.price, most)
        if spent.dollars + dollars > self.caps.dollars:
            raise NoMoreCalls(
                f"another call could cost ${dollars:.4f}, and ${spent.dollars:.4f} of ${self.caps.dollars:g} are spent"
            )


def unknown_spending(dollars: float) -> str:
    """Why there are no more calls after one whose price is not known."""
    return f"what a call cost is not known, so the budget of ${dollars:g} cannot be kept"


def known_price(name: str, price: Pricing, tokens: Tokens) -> float:
    """The price of tokens; without one there is no cap in dollars to be kept."""
    dollars = price(tokens).dollars
    if dollars is None:
        raise BadRequest(
            f"The price of {name} is not known, so a cap in dollars cannot be kept.",
            hint="Cap tokens instead: --tokens N. (Prices come from the package genai-prices.)",
        )
    return dollars
