"""One model call: forwarded, streamed back, and logged."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fmlbench.core.text import to_valid_utf8
from fmlbench.models.chat import Tokens, estimate_tokens
from fmlbench.models.prices import Pricing
from fmlbench.models.proxy.answers import objects_in
from fmlbench.models.proxy.dialect import Dialect
from fmlbench.models.proxy.upstream import Incoming, Line, LineLost, Outgoing
from fmlbench.models.proxy.wire_book import WireBook, WireExchange

_UNPAID_CHARACTERS = 2000


@dataclass(frozen=True)
class Books:
    """The prices and the log of calls."""

    price: Pricing
    book: WireBook
    clock: Callable[[], float] = time.monotonic


@dataclass(eq=False)
class Call:
    """A forwarded request, until its answer is logged."""

    dialect: Dialect
    outgoing: Outgoing
    most: Tokens
    """The maximum usage; zero if the call is not charged."""
    books: Books
    at_end: "Callable[[Call], None]"
    """Called when it is over."""
    _started: float = field(init=False)
    _status: int = 0
    _content_type: str = ""
    _came: bytearray = field(default_factory=bytearray)
    _pen: threading.Lock = field(default_factory=threading.Lock)
    """Acquired by the thread that logs the call, and never released."""

    def __post_init__(self) -> None:
        self._started = self.books.clock()

    def start(self, line: Line) -> Incoming:
        """Send the request, and return when the answer begins; raises LineLost or NoMoreCalls."""
        try:
            incoming = line.send(self.outgoing)
        except LineLost as lost:
            self.finish(str(lost), is_charged=lost.was_sent)
            raise
        except BaseException:
            self._leave()
            raise
        self._status = incoming.status
        self._content_type = incoming.headers.get("content-type", "")
        return Incoming(incoming.status, incoming.headers, self._parts(incoming.parts))

    def _parts(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        trouble = ""
        try:
            for part in parts:
                self._came += part
                yield part
        except LineLost as lost:
            trouble = str(lost)
            raise
        finally:
            self.finish(trouble)

    def finish(self, trouble: str, *, is_charged: bool = True) -> None:
        """Log the result once, and release the reserved budget in any case."""
        if not self._pen.acquire(blocking=False):
            return
        try:
            self._write_down(trouble, is_charged=is_charged)
        finally:
            self.at_end(self)

    def _leave(self) -> None:
        """Release the reserved budget without logging, because nothing was sent."""
        if self._pen.acquire(blocking=False):
            self.at_end(self)

    def _write_down(self, trouble: str, *, is_charged: bool) -> None:
        is_charged = is_charged and self.most != Tokens() and self._status < 400
        # Free calls that are never replayed are logged only if they are informative.
        most_characters = None if is_charged else _UNPAID_CHARACTERS
        tokens, is_estimate = self._tokens(is_cut=bool(trouble)) if is_charged else (Tokens(), False)
        price = self.books.price(tokens)
        most = self.most if is_estimate else None
        self.books.book.add(
            WireExchange(
                path=self.outgoing.path,
                request=to_valid_utf8(self.outgoing.body.decode())[:most_characters],
                status=self._status,
                content_type=self._content_type,
                answer=self._came.decode("utf-8", "replace")[: None if self._status < 400 else _UNPAID_CHARACTERS],
                tokens=tokens,
                is_estimate=is_estimate,
                most=most,
                most_dollars=self.books.price(most).dollars if most else None,
                dollars=price.dollars if is_charged else 0.0,
                priced_by=price.priced_by if is_charged else "",
                seconds=self.books.clock() - self._started,
                trouble=trouble,
            )
        )

    def _tokens(self, *, is_cut: bool) -> tuple[Tokens, bool]:
        """The usage and whether it is an estimate: a call cut off before its usage counts with the text received."""
        counted = self.dialect.tokens(objects_in(bytes(self._came)))
        if counted is not None and counted.input and counted.output and not is_cut:
            return counted, False
        seen = Tokens(input=estimate_tokens(len(self.outgoing.body)), output=estimate_tokens(len(self._came)))
        return (counted or seen).model_copy(update={"output": seen.output}), True
