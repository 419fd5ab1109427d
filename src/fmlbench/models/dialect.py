"""The wire format of an API of language models: how requests are built and checked, and how answers are read."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fmlbench.core.record import Record
from fmlbench.models.chat import Message, Request, Tokens
from fmlbench.models.json_body import Body, is_object, read_json

_LONGEST_REASON = 300


class Refused(Exception):
    """A request that is rejected, and why."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class MalformedAnswer(Exception):
    """An answer that does not have the API's format."""


class Answer(Record):
    """The text of an answer."""

    text: str
    served_by: str = ""
    """The model's name in the response."""
    is_complete: bool = True
    """False if the answer was cut off at the limit of output tokens."""


def name_in_body(path: str, body: Body, model: str) -> str:
    """Set the model in the body, as most APIs have it."""
    body["model"] = model
    return path


def bearer(key: str) -> tuple[str, str]:
    """The most common header for a key."""
    return "Authorization", f"Bearer {key}"


def never(objects: Sequence[Body]) -> bool:
    """For APIs that report a blocked prompt as an answer or an error."""
    del objects
    return False


@dataclass(frozen=True)
class Dialect:
    """The requests and responses of an API.

    Search agents send requests that ``build`` makes. Programs send their own, and only those that match ``calls`` or
    ``free`` are forwarded.
    """

    name: str
    path: str
    """Where search agents send requests; ``name_model`` sets the model."""
    build: Callable[[Request], Body]
    """The body of a request, without its model."""
    read: Callable[[Body], Answer]
    """Read a whole answer; raises any lookup, type or value error if it is malformed."""
    tokens: Callable[[Iterable[Body]], Tokens | None]
    """The usage in the JSON objects of an answer; None if they have none."""
    calls: re.Pattern[str]
    """Paths of POST requests that a model answers."""
    clean: Callable[[Body], None]
    """Remove tools that run at the provider, such as web search; raises Refused if that is impossible."""
    most_output: Callable[[Body], int]
    """The limit of output tokens; 0 if the request has none."""
    refusal: Callable[[int, str], Body]
    """An error in the format of this API."""
    free: re.Pattern[str] = re.compile(r"(?!)")
    """Paths of POST requests that cost nothing, such as counting tokens."""
    key_header: Callable[[str], tuple[str, str]] = bearer
    """The header that carries a key."""
    name_model: Callable[[str, Body, str], str] = name_in_body
    """Set the model of a request, given by its path and body; returns the new path."""
    is_blocked: Callable[[Sequence[Body]], bool] = never
    """Whether the provider blocked the prompt, so that zero output tokens are plausible."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headers of the requests of search agents."""

    def serves(self, method: str, path: str) -> bool:
        """Whether a request belongs to this API's allowed ones."""
        return method == "POST" and bool(self.calls.fullmatch(path) or self.free.fullmatch(path))

    def is_call(self, path: str) -> bool:
        """Whether a model answers there."""
        return self.calls.fullmatch(path) is not None

    def read_answer(self, answer: bytes) -> Answer:
        """Read a whole answer, or raise MalformedAnswer."""
        body = read_json(answer)
        try:
            if not is_object(body):
                raise TypeError("not a JSON object")
            return self.read(body)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            reason = f"the answer is malformed: {type(error).__name__}: {error}"
            raise MalformedAnswer(reason[:_LONGEST_REASON]) from error


def messages_of(messages: Iterable[Message]) -> list[Body]:
    """A conversation as Anthropic and OpenAI write it."""
    return [{"role": message.role, "content": message.text} for message in messages]


def temperature_of(request: Request) -> Body:
    """The temperature, if the request has one: some models accept only their default."""
    return {} if request.temperature is None else {"temperature": request.temperature}
