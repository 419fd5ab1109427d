"""Keep a run's caps, also while several calls are in progress."""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.errors import BadRequest
from fmlbench.models.chat import Tokens
from fmlbench.models.prices import Pricing


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


@dataclass
class Meter:
    """Admits calls while the budget lasts.

    Input tokens are estimated from the size of the text, so a cap can be exceeded by the estimation error of one call.
    """

    caps: Caps
    price: Pricing
    spent: Callable[[], Spending]
    """All logged calls; calls of unknown cost count at their maximum."""
    must_fit: bool = False
    """Whether a call is only made if an answer of full length cannot exceed a cap. Otherwise the last call may exceed
    it, because programs ask for much longer answers than they need; near a cap, calls are then made one by one."""
    _in_progress: list[Spending] = field(default_factory=list[Spending])
    _change: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def reserve(self, most: Tokens) -> Generator[None]:
        """Reserve the maximum usage of a call, or raise NoMoreCalls; log its actual usage before this ends."""
        bound = spending(most, self.price(most).dollars)
        self._admit(bound)
        try:
            yield
        finally:
            with self._change:
                self._in_progress.remove(bound)
                self._change.notify_all()

    def _admit(self, bound: Spending) -> None:
        with self._change:
            while True:
                spent = self.spent()
                if end := self._no_fit(spent, bound) if self.must_fit else self.end(spent):
                    raise NoMoreCalls(end)
                if not self._in_progress or not self.end(total((spent, *self._in_progress))):
                    self._in_progress.append(bound)
                    return
                self._change.wait()

    def end(self, spent: Spending) -> str:
        """Why no more calls are allowed after this spending; empty if they are."""
        tokens, dollars = self.caps.tokens, self.caps.dollars
        if tokens is not None and spent.tokens >= tokens:
            return f"the budget of {tokens} tokens is spent"
        if dollars is not None and spent.dollars >= dollars:
            return f"the budget of ${dollars:g} is spent"
        if dollars is not None and not spent.is_priced:
            return _unknown_spending(dollars)
        return ""

    def _no_fit(self, spent: Spending, bound: Spending) -> str:
        """Why a call could exceed a cap; empty if it could not."""
        tokens, dollars = self.caps.tokens, self.caps.dollars
        if tokens is not None and spent.tokens + bound.tokens > tokens:
            return f"another call could take {bound.tokens} tokens, and {spent.tokens} of {tokens} are spent"
        if dollars is not None and not (spent.is_priced and bound.is_priced):
            return _unknown_spending(dollars)
        if dollars is not None and spent.dollars + bound.dollars > dollars:
            return f"another call could cost ${bound.dollars:.4f}, and ${spent.dollars:.4f} of ${dollars:g} are spent"
        return ""


def _unknown_spending(dollars: float) -> str:
    return f"the price of a call is unknown, so the budget of ${dollars:g} cannot be enforced"


def require_price(name: str, price: Pricing) -> None:
    """Raise BadRequest if a model's price is unknown, so that a cap in dollars could not be enforced."""
    if price(Tokens(input=1, output=1)).dollars is None:
        raise BadRequest(
            f"The price of {name} is unknown, so a cap in dollars cannot be enforced.",
            hint="Cap tokens instead: --tokens N. (Prices come from the package genai-prices.)",
        )
