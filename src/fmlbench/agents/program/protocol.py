"""What a program can ask at the desk, and what it is told: one line of JSON each way."""

from typing import Annotated, Literal

from pydantic import FailFast, Field, TypeAdapter, ValidationError

from fmlbench.core.record import Record
from fmlbench.models.proxy.bodies import is_object, object_at, read_json

MOST_BYTES = 8 * 2**20
"""Of one request; code that is longer than this is no code."""
_MOST_FIELDS = 10
_Paths = Annotated[tuple[str, ...], FailFast()]
"""Of a long list that is no list of paths, one word is complaint enough: each takes memory."""


class BriefRequest(Record):
    """The brief, as a page and as data."""

    ask: Literal["brief"]


class StatusRequest(Record):
    """How things stand: steps, scores, what is left."""

    ask: Literal["status"]


class DiffRequest(Record):
    """What a step changed."""

    ask: Literal["diff"]
    step: int


class CodeRequest(Record):
    """The editable files after a step; the next submission counts as made on top of it."""

    ask: Literal["checkout"]
    step: int


class Sorting(Record):
    """Which of these files may be changed."""

    ask: Literal["sort"]
    paths: _Paths


class SubmitRequest(Record):
    """These files are to be scored; it costs a step."""

    ask: Literal["submit"]
    idea: str
    files: dict[str, str]
    left_out: _Paths = ()
    """Protected files that the program changed all the same; they are not taken."""


class CheckRequest(Record):
    """How much information these files add to the baseline; it costs nothing."""

    ask: Literal["check"]
    files: dict[str, str]


class TrialRequest(Record):
    """These files are to be tried on practice questions; it costs time, but no step."""

    ask: Literal["try"]
    files: dict[str, str]


class DoneRequest(Record):
    """The agent has finished: it will submit nothing more."""

    ask: Literal["done"]


Request = Annotated[
    BriefRequest
    | StatusRequest
    | DiffRequest
    | CodeRequest
    | Sorting
    | CheckRequest
    | SubmitRequest
    | TrialRequest
    | DoneRequest,
    Field(discriminator="ask"),
]

_REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)


class Unreadable(Exception):
    """A line that is no request, and why."""


def read_request(line: bytes) -> Request:
    """What is asked, or Unreadable."""
    asked = read_json(line)
    if not is_object(asked) or len(asked) > _MOST_FIELDS:
        raise Unreadable("it is no JSON object of a few fields")
    if not all(isinstance(text, str) for text in object_at(asked, "files").values()):
        raise Unreadable("every file is a text")
    try:
        return _REQUESTS.validate_python(asked)
    except ValidationError as error:
        raise Unreadable(error.errors(include_url=False, include_input=False)[0]["msg"]) from error


class Response(Record):
    """What the desk says."""

    ok: bool
    """Whether the request was carried out; a step that crashed is one that was."""
    text: str
    """For people and models."""
    data: dict[str, object] = {}
    """For programs."""
