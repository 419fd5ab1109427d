"""Serve a relay on a Unix socket for as long as a program runs."""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Generator, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fmlbench.models.proxy.relay import ModelRequest, Relay
from fmlbench.models.upstream import ConnectionLost, Incoming

MOST_BYTES = 32 * 2**20
"""Of one request."""
MOST_BYTES_AT_ONCE = 2 * MOST_BYTES
"""Of all requests under way."""

MOST_CONNECTIONS = 64
_PATIENCE_SECONDS = 120.0
"""How long a connection may do nothing."""
_CLOSING_SECONDS = 0.1


@contextlib.contextmanager
def serve(relay: Relay, listening: socket.socket) -> Generator[None]:
    """Answer in the background whatever is asked on a listening socket; calls under way at the end are cut off."""
    server = _ProxyServer(relay, listening)
    thread = threading.Thread(target=server.serve_forever, args=(_CLOSING_SECONDS,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        relay.gateway.cut_off()


class _Room:
    """Room for requests in memory: read, their objects take many times their bytes."""

    def __init__(self, size_bytes: int) -> None:
        self._left = size_bytes
        self._change = threading.Condition()

    @contextlib.contextmanager
    def of(self, size_bytes: int) -> Generator[bool]:
        """Take some as soon as it is there; False where that takes too long."""
        with self._change:
            has_room = self._change.wait_for(lambda: self._left >= size_bytes, _PATIENCE_SECONDS)
            self._left -= size_bytes if has_room else 0
        try:
            yield has_room
        finally:
            with self._change:
                self._left += size_bytes if has_room else 0
                self._change.notify_all()


class _ProxyServer(socketserver.ThreadingMixIn, socketserver.BaseServer):
    """A thread for every connection, up to a number; who comes beyond that is turned away."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, relay: Relay, listening: socket.socket) -> None:
        super().__init__(("", 0), _Conversation)
        self.relay = relay
        self._listening = listening
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self.room = _Room(MOST_BYTES_AT_ONCE)

    def fileno(self) -> int:
        """What to wait for."""
        return self._listening.fileno()

    def get_request(self) -> tuple[socket.socket, str]:
        """The next connection."""
        connection, _ = self._listening.accept()
        return connection, "program"

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether there is a place for one more."""
        del request, client_address
        return self._places.acquire(blocking=False)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Talk, and make place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def shutdown_request(self, request: Any) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_WR)
        request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore programs that close their connection early."""


class _Conversation(BaseHTTPRequestHandler):
    """What a program says over one connection, request by request."""

    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_SECONDS
    server: _ProxyServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        """Answer a request with a body."""
        size = self.headers.get("Content-Length", "")
        if not size.isdigit() or int(size) > MOST_BYTES or self.headers.get("Content-Encoding"):
            self.close_connection = True
            self.send_error(413, "Only plain bodies of a stated and sensible size are taken.")
            return
        with self.server.room.of(int(size)) as has_room:
            if has_room:
                self._answer(self.rfile.read(int(size)))
            else:
                self.close_connection = True
                self.send_error(503, "Too much is being asked at once.")

    def do_GET(self) -> None:
        """Answer a request without a body."""
        self._answer(b"")

    do_DELETE = do_GET  # noqa: N815 - the names that the base class looks for

    def _answer(self, body: bytes) -> None:
        address = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = ModelRequest(self.command, address.path, dict(parse_qsl(address.query)), headers, body)
        incoming = self.server.relay.answer(asked)
        try:
            self._hand_over(incoming)
        except (ConnectionLost, OSError):
            self.close_connection = True
        finally:
            _drain(incoming.parts)

    def _hand_over(self, incoming: Incoming) -> None:
        """Pass on every part as soon as it comes."""
        self.send_response_only(incoming.status)
        for name, value in incoming.headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in incoming.parts:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class calls it so
        """The book is the log."""


def _drain(parts: Iterator[bytes]) -> None:
    """Read an answer to its end although the program has disconnected, because its usage comes last."""
    with contextlib.suppress(ConnectionLost):
        for _ in parts:
            pass
