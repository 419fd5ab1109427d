"""The log of all model calls in a run's folder."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import Field, TypeAdapter

from fmlbench.core.record import Record
from fmlbench.models.chat import CallKey, Reply, Request, Tokens
from fmlbench.models.metering import Spending, UnconfirmedCall, spending, total
from fmlbench.records.log import RecordLog, read_records


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Exchange(Record):
    """A request and its reply."""

    at: str = Field(default_factory=_now)
    """For information only; nothing depends on it."""
    model: str
    request: Request
    reply: Reply


EXCHANGES: TypeAdapter[Exchange | UnconfirmedCall] = TypeAdapter(Exchange | UnconfirmedCall)
"""The lines of the log: replies, and calls whose cost is unknown."""


def read_exchanges(path: Path) -> dict[CallKey, Exchange]:
    """All exchanges by key; the last one if a key occurs twice because code has changed in between."""
    return _by_key(read_records(path, EXCHANGES))


class ExchangeBook:
    """The call log of a running run; hold the run's lock while it is open."""

    def __init__(self, path: Path) -> None:
        self._calls = read_records(path, EXCHANGES)
        self._by_key = _by_key(self._calls)
        self._log = RecordLog(path, EXCHANGES)

    def find(self, request: Request) -> Reply | None:
        """The logged reply to the same request with the same key, from before an interruption."""
        found = self._by_key.get(request.place)
        return found.reply if found and found.request.digest == request.digest else None

    def add(self, exchange: Exchange) -> None:
        """Append an exchange; when this returns, the call will never be repeated."""
        self._log.append(exchange)
        self._calls.append(exchange)
        self._by_key[exchange.request.place] = exchange

    def lose(self, call: UnconfirmedCall) -> None:
        """Append a call whose cost is unknown, so that it also counts after a resume."""
        self._log.append(call)
        self._calls.append(call)

    @property
    def has_answers(self) -> bool:
        """Whether any call of the run got a reply."""
        return bool(self._by_key)

    @property
    def spent(self) -> Spending:
        """The spending that counts against caps; calls of unknown cost count at their maximum."""
        return total(_spending(call) for call in self._calls)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._log.close()


def _by_key(calls: Iterable[Exchange | UnconfirmedCall]) -> dict[CallKey, Exchange]:
    return {call.request.place: call for call in calls if isinstance(call, Exchange)}


def _spending(call: Exchange | UnconfirmedCall) -> Spending:
    if isinstance(call, UnconfirmedCall):
        return spending(call.most, call.dollars)
    if call.reply.tokens == Tokens():
        # The reply has no usage, so the log also contains it as a call of unknown cost.
        return Spending()
    return spending(call.reply.tokens, call.reply.dollars)
