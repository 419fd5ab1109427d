"""Access to providers, and the meaning of their failures."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from fmlbench.models.chat import CallFailed

SECONDS = 600.0
"""Timeout of a call."""
SLOW_SECONDS = 3600.0
"""Timeout of a call to a model on this machine."""

_TRANSIENT = {408, 409, 425, 429}
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout"}
"""Exceptions of HTTP clients for failures before a request was sent; SDKs use different clients."""
_LONGEST_REASON = 300


@dataclass(frozen=True)
class Access:
    """Credentials and address of a provider."""

    key: str = field(repr=False)
    key_variable: str
    base_url: str | None = None
    """None for the SDK's default."""
    seconds: float = SECONDS
    """Read timeout of a connection."""
    refusal_hint: str = ""
    """The hint for HTTP 400."""

    def refused(self, status: int, reason: str, headers: Mapping[str, str]) -> CallFailed:
        """The failure for an HTTP status other than 200."""
        hints = {401: f"Set {self.key_variable} to a key that works.", 404: "Check the model's name."}
        hints |= {400: self.refusal_hint, 403: hints[401]}
        return CallFailed(
            f"HTTP {status}: {' '.join(reason.split())[:_LONGEST_REASON]}",
            is_transient=status in _TRANSIENT or status >= 500,
            hint=hints.get(status, ""),
            wait_seconds=_asked_wait(headers),
        )


def lost(error: Exception) -> CallFailed:
    """The failure for a connection that could not be established or was lost."""
    is_sent = _NOT_SENT.isdisjoint({type(error).__name__, type(error.__cause__).__name__})
    reason = f"the connection failed: {error or type(error).__name__}"
    return CallFailed(reason, is_transient=True, may_cost=is_sent)


@contextmanager
def reading_answer() -> Generator[None]:
    """Report a malformed answer as a transient failure.

    SDKs do not validate responses, so missing fields are noticed only when they are read.
    """
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"the answer is malformed: {type(error).__name__}: {error}"
        raise CallFailed(reason[:_LONGEST_REASON], is_transient=True, may_cost=True) from error


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
