"""One question to a language model and its answer: the protocol that all providers are brought to."""

import hashlib
from typing import Literal, Protocol, runtime_checkable

from fmlbench.core.record import Record


class CallKey(Record):
    """Where in a search a question is asked: nothing else is asked there."""

    step: int
    purpose: str
    turn: int
    """0 for the first try, then one more for each."""


class Message(Record):
    """Something that was said in a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Request(Record):
    """What a model is asked."""

    place: CallKey
    system: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    temperature: float | None = None
    """None leaves it to the provider; some models accept nothing else."""

    @property
    def digest(self) -> str:
        """Equal for equal questions, wherever they are asked."""
        return hashlib.sha256(self.model_dump_json(exclude={"place"}).encode("utf-8", "replace")).hexdigest()

    @property
    def size_bytes(self) -> int:
        """How much text the model is given."""
        return len(self.system.encode()) + sum(len(message.text.encode()) for message in self.messages)


class Tokens(Record):
    """What a call took, as the provider counted it."""

    input: int = 0
    """All that was read, cached or not."""
    output: int = 0
    """All that was written, thoughts included."""
    cached: int = 0
    """Those of the input that the provider had kept."""
    cache_written: int = 0
    """Those of the input that it keeps from now on, where that has a price."""
    reasoning: int = 0
    """Those of the output that were thought and not said."""


class Reply(Record):
    """What a model answered, and what that took."""

    text: str
    tokens: Tokens = Tokens()
    served_by: str = ""
    """The model as the provider names it; often more exact than what was asked for."""
    is_complete: bool = True
    """False where the answer was cut off at the limit of output tokens."""
    dollars: float | None = None
    """None where the price is not known."""
    priced_by: str = ""
    """The price list, with its version."""
    seconds: float = 0.0
    """From the first attempt to the answer, pauses included."""
    attempts: int = 1
    replays: str = ""
    """The digest of the request that this answer was recorded for, if it was taken from a record."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """The model's name with its provider's."""
        ...

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        ...


class CallFailed(Exception):
    """A call did not bring an answer."""

    def __init__(
        self,
        reason: str,
        *,
        is_transient: bool,
        may_cost: bool = False,
        hint: str = "",
        wait_seconds: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason.rstrip(". ")
        """Without a dot at its end, as it stands within sentences."""
        self.is_transient = is_transient
        """Whether the same call may well succeed later."""
        self.may_cost = may_cost
        """Whether the provider may have answered, and charge for it."""
        self.hint = hint
        self.wait_seconds = wait_seconds
        """How long the provider asked to wait."""


def estimate_tokens(size_bytes: int) -> int:
    """Tokens that so much text takes at most, as far as that can be said without the model's own tokeniser.

    English prose and code take 3.5 to 5 bytes a token with the tokenisers in use.
    """
    return -(-size_bytes // 3)
