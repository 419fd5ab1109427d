"""Send requests to a provider, with the user's key and a total timeout."""

import contextlib
import functools
import http.client
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fmlbench.models.chat import CallKey

SILENCE_SECONDS = 300.0
CALL_SECONDS = 1800.0
DEADLINE_THREAD = "deadline of a model call"

_MOST_BYTES = 64 * 2**20
_PART_BYTES = 65536
_RETURNED = ("content-type", "retry-after", "x-should-retry", "request-id", "x-request-id")


class ConnectionLost(Exception):
    """The provider could not be reached, or stopped before the end of its answer."""

    def __init__(self, reason: str, *, was_sent: bool = True) -> None:
        super().__init__(reason)
        self.was_sent = was_sent
        """Whether the request was sent, so that the provider may charge for it."""


@dataclass(frozen=True)
class Outgoing:
    """A request as it is sent."""

    path: str
    """With its query; below the provider's address."""
    headers: Mapping[str, str]
    body: bytes
    key: CallKey | None = None
    """For calls of search agents."""
    seconds: float | None = None
    """The total timeout; None for the endpoint's default."""
    attempt: int = 1
    first_attempt_at: float | None = None
    """On the gateway's clock; None if this is the first attempt."""


@dataclass(frozen=True)
class Incoming:
    """An answer that is being received."""

    status: int
    headers: Mapping[str, str]
    parts: Iterator[bytes]
    """Raises ConnectionLost if it ends early."""
    replays: str = ""
    """The digest of the original request, if the answer is replayed from another run."""


class Endpoint(Protocol):
    """Answers requests."""

    def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request and return when the answer begins; raises ConnectionLost or NoMoreCalls."""
        ...


@dataclass(frozen=True)
class Upstream:
    """A provider, over HTTP; the proxy settings of the user's environment apply."""

    base_url: str
    key: tuple[str, str] = field(repr=False)
    """The header with the user's key."""
    silence_seconds: float = SILENCE_SECONDS
    """The longest pause within an answer, or before it."""
    call_seconds: float = CALL_SECONDS
    """The total timeout of requests that have none."""

    def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request; an HTTP error is an answer, too."""
        name, key = self.key
        headers = {**outgoing.headers, name: key, "Accept-Encoding": "identity"}
        url = self.base_url.rstrip("/") + outgoing.path
        deadline = _Deadline(self.call_seconds if outgoing.seconds is None else outgoing.seconds)
        timeout = min(self.silence_seconds, deadline.seconds)
        try:
            request = urllib.request.Request(url, outgoing.body, headers, method="POST")  # noqa: S310 - the user's URL
            answer = _open(request, timeout, deadline)
        except Exception as error:
            deadline.close()
            if lost := _why_lost(error, timeout, is_over=deadline.is_over):
                raise lost from error
            raise
        returned = {name: answer.headers[name] for name in _RETURNED if name in answer.headers}
        return Incoming(answer.status, returned, _parts(answer, deadline))


def _why_lost(error: BaseException, timeout: float, *, is_over: bool) -> ConnectionLost | None:
    """Why there is no answer; None for errors of other kinds."""
    if isinstance(error, ValueError | http.client.InvalidURL):
        # The error's text would contain the key if that is what cannot be sent.
        return ConnectionLost("the request cannot be sent: its URL or key is invalid", was_sent=False)
    if isinstance(error, urllib.error.URLError):
        # Errors after the request was sent are not wrapped in an URLError.
        return ConnectionLost(f"the provider cannot be reached: {_reason(error)}", was_sent=False)
    if isinstance(error, TimeoutError) or is_over:
        return ConnectionLost(f"no answer within {timeout:g} s")
    if isinstance(error, OSError | http.client.HTTPException):
        return ConnectionLost(f"the provider did not answer: {_reason(error)}")
    return None


def _parts(answer: Any, deadline: "_Deadline") -> Iterator[bytes]:
    size = 0
    with answer, contextlib.closing(deadline):
        try:
            while part := answer.read1(_PART_BYTES):
                size += len(part)
                if size > _MOST_BYTES:
                    raise ConnectionLost("the answer is too long")
                yield part
            if answer.length and not deadline.is_over:
                raise ConnectionLost("the answer broke off")
        except (OSError, http.client.HTTPException, ValueError) as error:
            if not deadline.is_over:
                raise ConnectionLost(f"the answer broke off: {_reason(error)}") from error
        if deadline.is_over:
            raise ConnectionLost(f"no answer within {deadline.seconds:g} s")


class _Deadline:
    """Shuts a connection down when its time is over, also if its server keeps sending single bytes."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._shut_down)
        self._timer.name = DEADLINE_THREAD
        self._timer.daemon = True
        self._timer.start()

    def watch(self, connected: socket.socket) -> None:
        self._socket = connected

    def close(self) -> None:
        self._timer.cancel()
        # No thread outlives its call.
        self._timer.join()

    def _shut_down(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class _Watched(http.client.HTTPConnection):
    """A connection that a deadline may shut down."""

    deadline: _Deadline

    def connect(self) -> None:
        super().connect()
        self.deadline.watch(self.sock)


class _WatchedTls(_Watched, http.client.HTTPSConnection):
    """The same with TLS."""


class _DeadlineHandler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens connections with a deadline."""

    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(functools.partial(self._connect, _Watched), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(functools.partial(self._connect, _WatchedTls), req)

    def _connect(self, kind: type[_Watched], host: str, **options: Any) -> _Watched:
        connection = kind(host, **options)
        connection.deadline = self._deadline
        return connection


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key is only sent to the address that the user named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirects."""


def _open(request: urllib.request.Request, timeout: float, deadline: _Deadline) -> Any:
    opener = urllib.request.build_opener(_NoRedirects, _DeadlineHandler(deadline))
    try:
        return opener.open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        return error


def _reason(error: BaseException) -> str:
    reason = getattr(error, "reason", None) or error
    return str(reason) or type(error).__name__
