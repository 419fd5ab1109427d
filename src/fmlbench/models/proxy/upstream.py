"""The provider's end of the line: where requests are sent on to, with the user's key."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

SILENCE_SECONDS = 300.0
CALL_SECONDS = 1800.0

_MOST_BYTES = 64 * 2**20
_PART_BYTES = 65536
_RETURNED = ("content-type", "retry-after", "x-should-retry", "request-id", "x-request-id")


class LineLost(Exception):
    """The provider could not be reached, or stopped before the end of its answer."""

    def __init__(self, reason: str, *, was_sent: bool = True) -> None:
        super().__init__(reason)
        self.was_sent = was_sent
        """Whether the request went out: then the provider may charge for it."""


@dataclass(frozen=True)
class Outgoing:
    """A request as it is sent on."""

    path: str
    """With its query; below the provider's address."""
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Incoming:
    """An answer, as it comes in."""

    status: int
    headers: Mapping[str, str]
    parts: Iterator[bytes]
    """Raises LineLost where it breaks off."""


class Line(Protocol):
    """Who answers requests."""

    def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request and return when the answer begins; raises LineLost where none does, or NoMoreCalls."""
        ...


@dataclass(frozen=True)
class Upstream:
    """A provider, over HTTP; proxies of the user's environment are used as usual."""

    base_url: str
    key: tuple[str, str] = field(repr=False)
    """The header with the user's key."""
    silence_seconds: float = SILENCE_SECONDS
    """How long it may send nothing."""
    call_seconds: float = CALL_SECONDS
    """How long an answer may take, even if something comes now and then."""
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request; answers that are errors are answers."""
        name, key = self.key
        headers = {**outgoing.headers, name: key, "Accept-Encoding": "identity"}
        request = urllib.request.Request(  # noqa: S310 - the address is the user's own
            self.base_url.rstrip("/") + outgoing.path, outgoing.body, headers, method="POST"
        )
        try:
            answer = _open(request, self.silence_seconds)
        except ValueError as error:
            # Its words would hold the key, if that is what cannot be sent.
            raise LineLost("the request cannot be sent: its URL or key is invalid", was_sent=False) from error
        except urllib.error.URLError as error:
            # What fails after a request has gone out does not come wrapped in an URLError.
            raise LineLost(f"the provider cannot be reached: {_words(error)}", was_sent=False) from error
        except (OSError, http.client.HTTPException) as error:
            raise LineLost(f"the provider did not answer: {_words(error)}") from error
        returned = {name: answer.headers[name] for name in _RETURNED if name in answer.headers}
        return Incoming(answer.status, returned, self._parts(answer))

    def _parts(self, answer: Any) -> Iterator[bytes]:
        deadline = self.clock() + self.call_seconds
        size = 0
        with answer:
            try:
                while part := answer.read1(_PART_BYTES):
                    size += len(part)
                    if size > _MOST_BYTES or self.clock() > deadline:
                        raise LineLost("the answer is too long")
                    yield part
                if answer.length:
                    raise LineLost("the answer broke off")
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise LineLost(f"the answer broke off: {_words(error)}") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key goes to the address that the user named, and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirects."""


def _open(request: urllib.request.Request, timeout: float) -> Any:
    try:
        return urllib.request.build_opener(_NoRedirects).open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        return error


def _words(error: BaseException) -> str:
    reason = getattr(error, "reason", None) or error
    return str(reason) or type(error).__name__
