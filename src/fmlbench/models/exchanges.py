"""The record of every exchange with a model, kept in the run's folder."""

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
    """A question and its answer."""

    at: str = Field(default_factory=_now)
    """Informative only; nothing is ever decided by it."""
    model: str
    request: Request
    reply: Reply


EXCHANGES: TypeAdapter[Exchange | UnconfirmedCall] = TypeAdapter(Exchange | UnconfirmedCall)
"""What the lines of the record are: answers, and calls of which nobody says what they took."""


def read_exchanges(path: Path) -> dict[CallKey, Exchange]:
    """All exchanges by the place they were made at; the last one where code has changed between two."""
    return _by_place(read_records(path, EXCHANGES))


class ExchangeBook:
    """The exchanges of a run that goes on; hold the run's lock meanwhile."""

    def __init__(self, path: Path) -> None:
        self._kept = read_records(path, EXCHANGES)
        self._at = _by_place(self._kept)
        self._log = RecordLog(path, EXCHANGES)

    def find(self, request: Request) -> Reply | None:
        """The answer that was given to the same question at the same place, before an interruption."""
        kept = self._at.get(request.place)
        return kept.reply if kept and kept.request.digest == request.digest else None

    def add(self, exchange: Exchange) -> None:
        """Write an exchange down; when this returns, it will not be paid for again."""
        self._log.append(exchange)
        self._kept.append(exchange)
        self._at[exchange.request.place] = exchange

    def lose(self, call: UnconfirmedCall) -> None:
        """Write down a call of which nobody says what it took, so that it counts after a resume, too."""
        self._log.append(call)
        self._kept.append(call)

    @property
    def has_answers(self) -> bool:
        """Whether any call of the run brought one."""
        return bool(self._at)

    @property
    def spent(self) -> Spending:
        """What counts against caps: what was taken, and where nobody says, what could have been."""
        return total(_spending(kept) for kept in self._kept)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._log.close()


def _by_place(kept: Iterable[Exchange | UnconfirmedCall]) -> dict[CallKey, Exchange]:
    return {exchange.request.place: exchange for exchange in kept if isinstance(exchange, Exchange)}


def _spending(kept: Exchange | UnconfirmedCall) -> Spending:
    if isinstance(kept, UnconfirmedCall):
        return spending(kept.most, kept.dollars)
    if kept.reply.tokens == Tokens():
        # It does not say what it took, so it is there as a lost call, too.
        return Spending()
    return spending(kept.reply.tokens, kept.reply.dollars)
