"""The record of what went over the wire between a program and its model; keys are never part of it."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import Field, TypeAdapter

from fmlbench.core.record import Record
from fmlbench.core.usage import Usage
from fmlbench.models.chat import Tokens
from fmlbench.models.metering import Spending, spending, total
from fmlbench.records.log import RecordLog, read_records

_NOT_THE_PROGRAMS = {401, 402, 403, 404, 408, 409, 425, 429}
"""What a provider answers for reasons that a program can do nothing about."""


MOST_BYTES = 2 * 2**30
"""Of a record: calls that cost nothing have no other limit."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class WireExchange(Record):
    """A request as it was sent on, and the answer as it came."""

    at: str = Field(default_factory=_now)
    """Informative only; nothing is ever decided by it."""
    path: str
    request: str
    status: int
    """0 where there was no answer."""
    content_type: str = ""
    answer: str = ""
    tokens: Tokens = Tokens()
    is_estimate: bool = False
    """Whether the tokens had to be estimated from what was sent: the answer did not say, or broke off."""
    most: Tokens | None = None
    """All that a call could take whose tokens are an estimate: that counts against caps."""
    most_dollars: float | None = None
    dollars: float | None = 0.0
    """None where the price is not known."""
    priced_by: str = ""
    seconds: float = 0.0
    trouble: str = ""
    """What went wrong on the line."""

    @property
    def failure(self) -> str:
        """Why there was no answer, if that was the provider's or the network's doing, in a few words."""
        if self.status in _NOT_THE_PROGRAMS or self.status >= 500:
            return f"HTTP {self.status}: {' '.join(self.answer.split())[:200]}"
        return self.trouble

    @property
    def spending(self) -> Spending:
        """What counts against caps."""
        if self.most is not None:
            return spending(self.most, self.most_dollars)
        return spending(self.tokens, self.dollars)


WIRE_EXCHANGES: TypeAdapter[WireExchange] = TypeAdapter(WireExchange)


class WireBook:
    """The exchanges of a run that goes on, added by many threads; hold the run's lock meanwhile."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        kept = read_records(path, WIRE_EXCHANGES)
        self._usages = [_usage(exchange) for exchange in kept]
        self._spent = total(exchange.spending for exchange in kept)
        self._failure = ""
        self._trouble = ""
        self._has_answers = False
        self._log: RecordLog[WireExchange] | None = RecordLog(path, WIRE_EXCHANGES)

    def add(self, exchange: WireExchange) -> None:
        """Append an exchange; after the end it is ignored."""
        with self._lock:
            if self._log is None:
                return
            self._usages.append(_usage(exchange))
            self._spent = total((self._spent, exchange.spending))
            self._failure = exchange.failure
            self._has_answers |= not exchange.failure
            try:
                self._log.append(exchange)
            except OSError as error:
                self._trouble = f"the record of calls cannot be written: {error.strerror or error}"
            else:
                if self._log.path.stat().st_size > MOST_BYTES:
                    self._trouble = "the record of calls is full"

    @property
    def trouble(self) -> str:
        """Why no further call can be written down, and so none may be made; empty as long as it can."""
        with self._lock:
            return self._trouble

    @property
    def has_answers(self) -> bool:
        """Whether any exchange since this book was opened brought an answer."""
        with self._lock:
            return self._has_answers

    @property
    def failure(self) -> str:
        """Why the last exchange of this book brought no answer; empty if it did."""
        with self._lock:
            return self._failure

    def usage(self, since_call: int = 0) -> Usage:
        """What all exchanges took, but for the first ones."""
        with self._lock:
            return _sum(self._usages[since_call:])

    @property
    def spent(self) -> Spending:
        """What counts against a budget."""
        with self._lock:
            return self._spent

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._log is not None:
                self._log.close()
            self._log = None


def _usage(exchange: WireExchange) -> Usage:
    tokens = exchange.tokens
    return Usage(
        calls=1,
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cached_tokens=tokens.cached,
        reasoning_tokens=tokens.reasoning,
        dollars=exchange.dollars,
    )


def _sum(usages: Sequence[Usage]) -> Usage:
    prices = [usage.dollars for usage in usages]
    return Usage(
        calls=len(usages),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cached_tokens=sum(usage.cached_tokens for usage in usages),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in usages),
        dollars=None if None in prices else sum(price or 0.0 for price in prices),
    )
