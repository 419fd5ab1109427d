"""Answer a program with what its model answered in another run."""

import threading
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.proxy.upstream import Incoming, Outgoing
from fmlbench.models.proxy.wire_book import WIRE_EXCHANGES, WireExchange
from fmlbench.records.log import read_records


class Recording:
    """A record in the provider's place: the first request to a path gets the first answer from there, and so on.

    Requests are not compared: programs put the time of day and fresh numbers into them.
    """

    def __init__(self, exchanges: Iterable[WireExchange]) -> None:
        self._lock = threading.Lock()
        self._left: dict[str, list[WireExchange]] = {}
        for exchange in exchanges:
            if exchange.status == 200 and not exchange.trouble:
                self._left.setdefault(_endpoint(exchange.path), []).append(exchange)

    def send(self, outgoing: Outgoing) -> Incoming:
        """The next answer on record."""
        with self._lock:
            left = self._left.get(_endpoint(outgoing.path))
            exchange = left.pop(0) if left else None
        if exchange is None:
            raise NoMoreCalls("the replayed run holds no further answer")
        return Incoming(200, {"content-type": exchange.content_type}, iter([exchange.answer.encode()]))


def read_recording(path: Path, done: Path) -> Recording:
    """The log of a run, without the answers that an interrupted replay has used already."""
    had = [exchange for exchange in read_records(done, WIRE_EXCHANGES) if exchange.status == 200]
    recording = Recording(read_records(path, WIRE_EXCHANGES))
    for exchange in had:
        recording.send(Outgoing(exchange.path, {}, b""))
    return recording


def _endpoint(path: str) -> str:
    """A path without its query and the name of the model."""
    return urlsplit(path).path.rpartition(":")[2].rpartition("/")[2]
