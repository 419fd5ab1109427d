"""How one API of language models is spoken on the wire."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fmlbench.models.chat import Tokens
from fmlbench.models.proxy.bodies import Body


class Refused(Exception):
    """A request that is not sent on, and why."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(frozen=True)
class Dialect:
    """What may be asked in an API, and how to read what is asked and answered."""

    name: str
    calls: re.Pattern[str]
    """Paths of POST requests that a model answers."""
    free: re.Pattern[str]
    """Paths of POST requests that cost nothing, such as counting tokens."""
    clean: Callable[[Body], None]
    """Take out what the provider would do by itself, such as searching the web; what cannot be taken out is Refused."""
    most_output: Callable[[Body], int]
    """How long the answer may become, in tokens; 0 if the request does not say."""
    tokens: Callable[[Iterable[Body]], Tokens | None]
    """What a call took, from all JSON objects of its answer; None where they do not say."""
    refusal: Callable[[int, str], Body]
    """An error as this API words it."""
    key_header: Callable[[str], tuple[str, str]]
    """The header that carries a key."""
    name_model: Callable[[str, Body, str], str]
    """Make a request, given by its path and body, ask a certain model; returns its path."""

    def serves(self, method: str, path: str) -> bool:
        """Whether a request belongs to this API's allowed ones."""
        return method == "POST" and bool(self.calls.fullmatch(path) or self.free.fullmatch(path))

    def is_call(self, path: str) -> bool:
        """Whether a model answers there."""
        return self.calls.fullmatch(path) is not None


def name_in_body(path: str, body: Body, model: str) -> str:
    """Most APIs are told the model in the body."""
    body["model"] = model
    return path


def bearer(key: str) -> tuple[str, str]:
    """The most common header for a key."""
    return "Authorization", f"Bearer {key}"
