"""The wire format of an API of language models."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fmlbench.models.chat import Tokens
from fmlbench.models.proxy.bodies import Body


class Refused(Exception):
    """A request that is rejected, and why."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(frozen=True)
class Dialect:
    """The allowed requests of an API, and how to read requests and responses."""

    name: str
    calls: re.Pattern[str]
    """Paths of POST requests that a model answers."""
    free: re.Pattern[str]
    """Paths of POST requests that cost nothing, such as counting tokens."""
    clean: Callable[[Body], None]
    """Remove tools that run at the provider, such as web search; raises Refused if that is impossible."""
    most_output: Callable[[Body], int]
    """The limit of output tokens; 0 if the request has none."""
    tokens: Callable[[Iterable[Body]], Tokens | None]
    """The usage in the JSON objects of an answer; None if they have none."""
    refusal: Callable[[int, str], Body]
    """An error in the format of this API."""
    key_header: Callable[[str], tuple[str, str]]
    """The header that carries a key."""
    name_model: Callable[[str, Body, str], str]
    """Set the model of a request, given by its path and body; returns the new path."""

    def serves(self, method: str, path: str) -> bool:
        """Whether a request belongs to this API's allowed ones."""
        return method == "POST" and bool(self.calls.fullmatch(path) or self.free.fullmatch(path))

    def is_call(self, path: str) -> bool:
        """Whether a model answers there."""
        return self.calls.fullmatch(path) is not None


def name_in_body(path: str, body: Body, model: str) -> str:
    """Set the model in the body, as most APIs have it."""
    body["model"] = model
    return path


def bearer(key: str) -> tuple[str, str]:
    """The most common header for a key."""
    return "Authorization", f"Bearer {key}"
