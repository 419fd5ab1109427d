"""Price every call and reject calls that could exceed a cap."""

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
    """The tokens and dollars of several calls."""

    tokens: int = 0
    dollars: float = 0.0
    """The sum of the known prices."""
    is_priced: bool = True
    """Whether all prices are known."""


def spending(tokens: Tokens, dollars: float | None) -> Spending:
    """The spending of one call; ``dollars`` is None if its price is unknown."""
    return Spending(tokens.input + tokens.output, dollars or 0.0, is_priced=dollars is not None)


def total(spendings: Iterable[Spending]) -> Spending:
    """The sum of several spendings."""
    each = list(spendings)
    return Spending(
        tokens=sum(one.tokens for one in each),
        dollars=sum(one.dollars for one in each),
        is_priced=all(one.is_priced for one in each),
    )


@dataclass(frozen=True)
class Caps:
    """Limits of all calls together; None means unlimited."""

    tokens: int | None = None
    dollars: float | None = None


class UnconfirmedCall(Record):
    """A call whose cost is unknown: no readable response, or a response without usage.

    It is not part of the reported usage, but counts at its maximum against the caps, because the provider may charge
    for it.
    """

    model: str
    place: CallKey
    reason: str
    most: Tokens
    dollars: float | None
    """The maximum; None if the price is unknown."""
    priced_by: str = ""


@dataclass(frozen=True)
class Metered:
    """A model with a price and caps.

    A call is rejected if its maximum cost, with a full-length answer, would exceed a cap. Input tokens are estimated
    from the size of the text, so a cap can be exceeded by the estimation error of one call.
    """

    model: ChatModel
    price: Pricing
    caps: Caps
    spent: Callable[[], Spending]
    lose: Callable[[UnconfirmedCall], None] = field(default=lambda _: None, repr=False)
    """Logs a call whose cost is unknown."""

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
            self.lose(self._lost(request.place, "the response has no usage", most))
            # Zero tokens would have the price zero, which is only correct for free models.
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
    """Why no calls are made after one whose price is unknown."""
    return f"the price of a call is unknown, so the budget of ${dollars:g} cannot be enforced"


def known_price(name: str, price: Pricing, tokens: Tokens) -> float:
    """The price of tokens; raises BadRequest if it is unknown."""
    dollars = price(tokens).dollars
    if dollars is None:
        raise BadRequest(
            f"The price of {name} is unknown, so a cap in dollars cannot be enforced.",
            hint="Cap tokens instead: --tokens N. (Prices come from the package genai-prices.)",
        )
    return dollars
