"""Price every call, and refuse one that could break a cap."""

from collections.abc import Callable
from dataclasses import dataclass

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest
from fmlbench.llm.chat import ChatModel, Reply, Request, Tokens, estimate_tokens
from fmlbench.llm.prices import Pricing


@dataclass(frozen=True)
class Spending:
    """What calls took so far."""

    tokens: int = 0
    dollars: float = 0.0
    """As far as prices are known."""


@dataclass(frozen=True)
class Caps:
    """What calls may take altogether; None is no limit."""

    tokens: int | None = None
    dollars: float | None = None


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

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer, or raise NoMoreCalls."""
        self._require_room(request)
        reply = self.model.complete(request)
        price = self.price(reply.tokens)
        return reply.model_copy(update={"dollars": price.dollars, "priced_by": price.priced_by})

    def _require_room(self, request: Request) -> None:
        spent = self.spent()
        most = Tokens(input=estimate_tokens(request.size_bytes), output=request.max_output_tokens)
        tokens = most.input + most.output
        if self.caps.tokens is not None and spent.tokens + tokens > self.caps.tokens:
            raise NoMoreCalls(
                f"another call could take {tokens} tokens, and {spent.tokens} of {self.caps.tokens} are spent"
            )
        if self.caps.dollars is None:
            return
        dollars = known_price(self.name, self.price, most)
        if spent.dollars + dollars > self.caps.dollars:
            raise NoMoreCalls(
                f"another call could cost ${dollars:.4f}, and ${spent.dollars:.4f} of ${self.caps.dollars:g} are spent"
            )


def known_price(name: str, price: Pricing, tokens: Tokens) -> float:
    """The price of tokens; without one there is no cap in dollars to be kept."""
    dollars = price(tokens).dollars
    if dollars is None:
        raise BadRequest(
            f"The price of {name} is not known, so a cap in dollars cannot be kept.",
            hint="Cap tokens instead: --tokens N. (Prices come from the package genai-prices.)",
        )
    return dollars
