"""Keep a run's caps while several calls are under way.

Calls go side by side while there is room for all of them; near a cap they go one after the other. So a cap is never
passed by more than the last call, also where answers never come: what such a call could take counts as spent.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.chat import Tokens
from fmlbench.models.metering import Caps, Spending, spending, total, unknown_spending
from fmlbench.models.prices import Pricing


@dataclass
class Meter:
    """Admits calls while the budget lasts."""

    caps: Caps
    price: Pricing
    spent: Callable[[], Spending]
    _under_way: list[Spending] = field(default_factory=list[Spending])
    _change: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def call(self, most: Tokens) -> Generator[None]:
        """Admit a call with this maximum usage; its actual usage must be logged before this ends."""
        bound = spending(most, self.price(most).dollars)
        self._enter(bound)
        try:
            yield
        finally:
            with self._change:
                self._under_way.remove(bound)
                self._change.notify_all()

    def _enter(self, bound: Spending) -> None:
        with self._change:
            while True:
                spent = self.spent()
                if end := self.end(spent):
                    raise NoMoreCalls(end)
                if not self._under_way or not self.end(total((spent, *self._under_way))):
                    self._under_way.append(bound)
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
            return unknown_spending(dollars)
        return ""
