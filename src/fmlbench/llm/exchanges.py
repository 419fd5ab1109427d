"""The record of every exchange with a model, kept in the run's folder."""

from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import Field, TypeAdapter

from fmlbench.core.record import Record
from fmlbench.llm.chat import Place, Reply, Request
from fmlbench.llm.metering import Spending
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


EXCHANGES: TypeAdapter[Exchange] = TypeAdapter(Exchange)


def read_exchanges(path: Path) -> dict[Place, Exchange]:
    """All exchanges by the place they were made at; the last one where code has changed between two."""
    return {exchange.request.place: exchange for exchange in read_records(path, EXCHANGES)}


class ExchangeBook:
    """The exchanges of a run that goes on; hold the run's lock meanwhile."""

    def __init__(self, path: Path) -> None:
        self._kept = read_records(path, EXCHANGES)
        self._at = {exchange.request.place: exchange for exchange in self._kept}
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

    @property
    def spent(self) -> Spending:
        """What all exchanges took."""
        return Spending(
            tokens=sum(kept.reply.tokens.input + kept.reply.tokens.output for kept in self._kept),
            dollars=sum(kept.reply.dollars or 0.0 for kept in self._kept),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._log.close()
