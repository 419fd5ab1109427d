"""The gateway that every model call passes: it reserves budget, sends the request, and logs the priced answer."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from fmlbench.core.agents import NoMoreCalls
from fmlbench.core.text import to_valid_utf8
from fmlbench.models.call_log import CallLog, LoggedCall
from fmlbench.models.chat import Tokens, estimate_tokens
from fmlbench.models.dialect import Dialect
from fmlbench.models.json_body import objects_in
from fmlbench.models.meter import Meter
from fmlbench.models.upstream import ConnectionLost, Endpoint, Incoming, Outgoing

_UNCHARGED_CHARACTERS = 2000


def accept_all(answer: bytes) -> str:
    """The check of calls whose answers are only passed on."""
    del answer
    return ""


@dataclass(eq=False)
class Call:
    """A request with reserved budget, until its answer is logged."""

    gateway: "Gateway"
    dialect: Dialect
    outgoing: Outgoing
    most: Tokens
    """The maximum usage; zero if the call is not charged."""
    check: Callable[[bytes], str]
    """Why a whole answer is unusable; empty if it is usable."""
    _logged: LoggedCall | None = None
    _status: int = 0
    _content_type: str = ""
    _replays: str = ""
    _received: bytearray = field(default_factory=bytearray)
    _log_once: threading.Lock = field(default_factory=threading.Lock)
    """Acquired by the thread that logs the call, and never released."""
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        first = self.outgoing.first_attempt_at
        self._started = self.gateway.clock() if first is None else first

    def start(self) -> Incoming:
        """Send the request, and return when the answer begins; raises ConnectionLost or NoMoreCalls."""
        try:
            incoming = self.gateway.endpoint.send(self.outgoing)
        except ConnectionLost as lost:
            self.finish(str(lost), is_charged=lost.was_sent)
            raise
        except BaseException:
            self._leave()
            raise
        self._status = incoming.status
        self._content_type = incoming.headers.get("content-type", "")
        self._replays = incoming.replays
        return Incoming(incoming.status, incoming.headers, self._parts(incoming.parts), incoming.replays)

    def _parts(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        trouble = ""
        try:
            for part in parts:
                self._received += part
                yield part
            trouble = self.check(bytes(self._received)) if self._status == 200 else ""
        except ConnectionLost as lost:
            trouble = str(lost)
            raise
        finally:
            self.finish(trouble)

    def finish(self, trouble: str, *, is_charged: bool = True) -> None:
        """Log the result once, and release the reserved budget in any case."""
        if not self._log_once.acquire(blocking=False):
            return
        try:
            self._logged = self._entry(trouble, is_charged=is_charged)
            self.gateway.log.add(self._logged)
        finally:
            self.gateway.close(self)

    def result(self) -> LoggedCall:
        """The log entry, after the end of the call."""
        if self._logged is None:
            raise RuntimeError("the call is in progress")
        return self._logged

    def _leave(self) -> None:
        """Release the reserved budget without logging, because nothing was sent."""
        if self._log_once.acquire(blocking=False):
            self.gateway.close(self)

    def _entry(self, trouble: str, *, is_charged: bool) -> LoggedCall:
        is_charged = is_charged and self.most != Tokens() and self._status < 400
        # Free calls that are never replayed are logged only if they are informative.
        most_characters = None if is_charged else _UNCHARGED_CHARACTERS
        tokens, is_estimate = self._tokens(is_cut=bool(trouble)) if is_charged else (Tokens(), False)
        price = self.gateway.meter.price
        paid = price(tokens)
        most = self.most if is_estimate else None
        return LoggedCall(
            key=self.outgoing.key,
            path=self.outgoing.path,
            request=to_valid_utf8(self.outgoing.body.decode())[:most_characters],
            status=self._status,
            content_type=self._content_type,
            answer=self._received.decode("utf-8", "replace")[: None if self._status < 400 else _UNCHARGED_CHARACTERS],
            tokens=tokens,
            is_estimate=is_estimate,
            most=most,
            most_dollars=price(most).dollars if most else None,
            dollars=paid.dollars if is_charged else 0.0,
            priced_by=paid.priced_by if is_charged else "",
            seconds=self.gateway.clock() - self._started,
            attempt=self.outgoing.attempt,
            trouble=to_valid_utf8(trouble),
            replays=self._replays,
        )

    def _tokens(self, *, is_cut: bool) -> tuple[Tokens, bool]:
        """The usage and whether it is an estimate: a call cut off before its usage counts with the text received."""
        objects = objects_in(bytes(self._received))
        counted = self.dialect.tokens(objects)
        is_plausible = counted and counted.input and (counted.output or self.dialect.is_blocked(objects))
        if counted is not None and is_plausible and not is_cut:
            return counted, False
        seen = Tokens(input=estimate_tokens(len(self.outgoing.body)), output=estimate_tokens(len(self._received)))
        return (counted or seen).model_copy(update={"output": seen.output}), True


@dataclass
class Gateway:
    """The way to one model, with its caps, prices and log."""

    endpoint: Endpoint
    meter: Meter
    log: CallLog
    clock: Callable[[], float] = time.monotonic
    _in_progress: dict[Call, ExitStack] = field(default_factory=dict[Call, ExitStack])
    """Calls in progress, which have a share of the budget reserved."""
    _is_over: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(
        self, dialect: Dialect, outgoing: Outgoing, most: Tokens, check: Callable[[bytes], str] = accept_all
    ) -> Call:
        """A call with reserved budget, or NoMoreCalls."""
        with ExitStack() as reserved:
            reserved.enter_context(self.meter.reserve(most))
            if trouble := self.log.trouble:
                raise NoMoreCalls(trouble)
            call = Call(self, dialect, outgoing, most, check)
            with self._lock:
                # A call that waited for budget gets it when earlier calls are cut off, but then the run is over.
                if self._is_over:
                    raise NoMoreCalls("the run is over")
                self._in_progress[call] = reserved.pop_all()
        return call

    def end(self) -> str:
        """Why no more calls are allowed; empty if they are."""
        return self.meter.end(self.log.spent)

    def cut_off(self) -> None:
        """Reject further calls and log those in progress as incomplete; they count against the caps."""
        with self._lock:
            self._is_over = True
            calls = list(self._in_progress)
        for call in calls:
            call.finish("cut off at the end")

    def close(self, call: Call) -> None:
        """Release the budget that is reserved for a call."""
        with self._lock:
            reserved = self._in_progress.pop(call)
        reserved.close()
