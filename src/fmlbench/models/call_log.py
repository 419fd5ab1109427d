"""The log of all model calls of a run, one line each; keys of users are never part of it."""

import hashlib
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import Field, TypeAdapter

from fmlbench.core.record import Record
from fmlbench.core.usage import Usage
from fmlbench.models.chat import CallKey, Tokens
from fmlbench.models.meter import Spending, spending, total
from fmlbench.records.log import RecordLog, read_records

NOT_THE_CALLERS_FAULT = {401, 402, 403, 404, 408, 409, 425, 429}
"""Statuses that a program cannot avoid by another request."""

MOST_BYTES = 2 * 2**30
"""The maximum size of a log: calls that cost nothing have no other limit."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class LoggedCall(Record):
    """A request as it was sent, and its answer as it was received."""

    at: str = Field(default_factory=_now)
    """For information only; nothing depends on it."""
    key: CallKey | None = None
    """For calls of search agents."""
    path: str
    request: str
    status: int
    """0 if there was no answer."""
    content_type: str = ""
    answer: str = ""
    tokens: Tokens = Tokens()
    is_estimate: bool = False
    """Whether the tokens are estimated from the sizes, because the answer is incomplete or has no usage."""
    most: Tokens | None = None
    """The maximum usage of a call whose tokens are an estimate; it counts against the caps."""
    most_dollars: float | None = None
    dollars: float | None = 0.0
    """None if the price is unknown."""
    priced_by: str = ""
    seconds: float = 0.0
    """From the first attempt to the end of the answer, including pauses."""
    attempt: int = 1
    trouble: str = ""
    """Why the answer is incomplete or unusable."""
    replays: str = ""
    """The digest of the original request, if the answer is replayed from another run."""

    @property
    def digest(self) -> str:
        """Equal for equal requests."""
        return hashlib.sha256(self.request.encode()).hexdigest()

    @property
    def is_answered(self) -> bool:
        """Whether there is a usable answer."""
        return self.status == 200 and not self.trouble

    @property
    def failure(self) -> str:
        """Why there is no answer, if the provider or the network caused it."""
        if self.status in NOT_THE_CALLERS_FAULT or self.status >= 500:
            return f"HTTP {self.status}: {' '.join(self.answer.split())[:200]}"
        return self.trouble

    @property
    def spending(self) -> Spending:
        """The spending that counts against caps; a call of unknown cost counts at its maximum."""
        if self.most is not None:
            return spending(self.most, self.most_dollars)
        return spending(self.tokens, self.dollars)

    @property
    def usage(self) -> Usage:
        """The reported or estimated usage."""
        return Usage(
            calls=1,
            input_tokens=self.tokens.input,
            output_tokens=self.tokens.output,
            cached_tokens=self.tokens.cached,
            reasoning_tokens=self.tokens.reasoning,
            dollars=self.dollars,
        )


_CALLS: TypeAdapter[LoggedCall] = TypeAdapter(LoggedCall)


def read_calls(path: Path) -> list[LoggedCall]:
    """All calls of a log."""
    return read_records(path, _CALLS)


class CallLog:
    """The log of a run in progress, written by several threads; hold the run's lock while it is open.

    Without a path it is kept in memory only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.Lock()
        kept = read_calls(path) if path else []
        self._usages = [call.usage for call in kept]
        self._spent = total(call.spending for call in kept)
        self._answered = {call.key: call for call in kept if call.key and call.is_answered}
        self._failure = ""
        self._has_answers = False
        self._is_full = False
        self._write_error: OSError | None = None
        self._is_open = True
        self._log = RecordLog(path, _CALLS) if path else None

    def add(self, call: LoggedCall) -> None:
        """Append a call; after the end of the run it is ignored."""
        with self._lock:
            if not self._is_open:
                return
            self._usages.append(call.usage)
            self._spent = total((self._spent, call.spending))
            self._failure = call.failure
            self._has_answers |= not call.failure
            if call.key and call.is_answered:
                self._answered[call.key] = call
            if self._log is not None:
                self._write(self._log, call)

    def _write(self, log: RecordLog[LoggedCall], call: LoggedCall) -> None:
        try:
            log.append(call)
            self._is_full = log.path.stat().st_size > MOST_BYTES
        except OSError as error:
            self._write_error = error

    def find(self, key: CallKey, path: str, request: str) -> LoggedCall | None:
        """The answered call with the same key and the same request, from before an interruption."""
        with self._lock:
            found = self._answered.get(key)
        return found if found and (found.path, found.request) == (path, request) else None

    @property
    def write_error(self) -> OSError | None:
        """Why the last call could not be written."""
        with self._lock:
            return self._write_error

    @property
    def trouble(self) -> str:
        """Why no further call can be logged, and so none may be made; empty if it can."""
        with self._lock:
            if self._write_error is not None:
                return f"the record of calls cannot be written: {self._write_error.strerror or self._write_error}"
            return "the record of calls is full" if self._is_full else ""

    @property
    def has_answers(self) -> bool:
        """Whether any call since the log was opened got an answer."""
        with self._lock:
            return self._has_answers

    @property
    def has_keyed_answers(self) -> bool:
        """Whether any call of a search agent got an answer, also before an interruption."""
        with self._lock:
            return bool(self._answered)

    @property
    def failure(self) -> str:
        """Why the last call since the log was opened failed; empty if it did not."""
        with self._lock:
            return self._failure

    def usage(self, since_call: int = 0) -> Usage:
        """The usage of all calls after the first ``since_call``."""
        with self._lock:
            return _sum(self._usages[since_call:])

    @property
    def spent(self) -> Spending:
        """The spending that counts against caps."""
        with self._lock:
            return self._spent

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_open = False
            if self._log is not None:
                self._log.close()


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
