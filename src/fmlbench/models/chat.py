"""Requests to language models and their replies: the common protocol of all providers."""

import hashlib
from typing import Literal, Protocol, runtime_checkable

from fmlbench.core.record import Record


class CallKey(Record):
    """Identifies a call within a run."""

    step: int
    purpose: str
    turn: int
    """0 for the first attempt."""


class Message(Record):
    """A message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Request(Record):
    """A request to a model."""

    place: CallKey
    system: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    temperature: float | None = None
    """None for the provider's default; some models accept nothing else."""

    @property
    def digest(self) -> str:
        """Equal for requests with equal content, whatever their key."""
        return hashlib.sha256(self.model_dump_json(exclude={"place"}).encode("utf-8", "replace")).hexdigest()

    @property
    def size_bytes(self) -> int:
        """The size of all text in the request."""
        return len(self.system.encode()) + sum(len(message.text.encode()) for message in self.messages)


class Tokens(Record):
    """The tokens of a call, as the provider counted them."""

    input: int = 0
    """All input tokens, cached or not."""
    output: int = 0
    """All output tokens, including reasoning."""
    cached: int = 0
    """Input tokens read from the provider's cache."""
    cache_written: int = 0
    """Input tokens written to the cache, if the provider charges for that."""
    reasoning: int = 0
    """Output tokens used for reasoning."""


class Reply(Record):
    """A model's answer and its cost."""

    text: str
    tokens: Tokens = Tokens()
    served_by: str = ""
    """The model's name in the response; often more exact than the requested one."""
    is_complete: bool = True
    """False if the answer was cut off at the limit of output tokens."""
    dollars: float | None = None
    """None if the price is unknown."""
    priced_by: str = ""
    """The price list and its version."""
    seconds: float = 0.0
    """From the first attempt to the answer, including pauses."""
    attempts: int = 1
    replays: str = ""
    """The digest of the original request, if this answer is replayed from another run."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """The model's name, including its provider."""
        ...

    def complete(self, request: Request) -> Reply:
        """Answer, or raise NoMoreCalls, ModelTrouble or ModelUnavailable."""
        ...


def estimate_tokens(size_bytes: int) -> int:
    """An upper estimate of the tokens of a text, independent of the tokeniser.

    Common tokenisers use 3.5 to 5 bytes a token for English prose and code.
    """
    return -(-size_bytes // 3)
