"""How a provider is reached, and what its failures mean."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from fmlbench.models.chat import CallFailed

SECONDS = 600.0
"""How long an answer may take."""
SLOW_SECONDS = 3600.0
"""How long it may take on the user's own machine."""

_TRANSIENT = {408, 409, 425, 429}
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout"}
"""Failures before a request was sent, as the HTTP clients call them; which client an SDK uses is its own business."""
_LONGEST_REASON = 300


@dataclass(frozen=True)
class Access:
    """What it takes to call a provider."""

    key: str = field(repr=False)
    key_variable: str
    base_url: str | None = None
    """None for the SDK's own."""
    seconds: float = SECONDS
    """How long a connection may be silent."""
    refusal_hint: str = ""
    """What helps where a request is refused as it stands."""

    def refused(self, status: int, reason: str, headers: Mapping[str, str]) -> CallFailed:
        """What an HTTP status other than 200 means."""
        hints = {401: f"Set {self.key_variable} to a key that works.", 404: "Look whether that is the model's name."}
        hints |= {400: self.refusal_hint, 403: hints[401]}
        return CallFailed(
            f"HTTP {status}: {' '.join(reason.split())[:_LONGEST_REASON]}",
            is_transient=status in _TRANSIENT or status >= 500,
            hint=hints.get(status, ""),
            wait_seconds=_asked_wait(headers),
        )


def lost(error: Exception) -> CallFailed:
    """A connection that could not be made, or broke off."""
    is_sent = _NOT_SENT.isdisjoint({type(error).__name__, type(error.__cause__).__name__})
    reason = f"the connection failed: {error or type(error).__name__}"
    return CallFailed(reason, is_transient=True, may_cost=is_sent)


@contextmanager
def reading_answer() -> Generator[None]:
    """An answer that is not what the provider promises to send is a failure that may pass.

    The SDKs build their objects without looking, so what is missing shows only when it is read.
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
