"""Requests and responses of the submission server: one line of JSON each way."""

from typing import Annotated, Literal

from pydantic import FailFast, Field, TypeAdapter, ValidationError

from fmlbench.core.record import Record
from fmlbench.models.json_body import is_object, object_at, read_json

MOST_BYTES = 8 * 2**20
"""The maximum size of a request; no reasonable code is longer."""
_MOST_FIELDS = 10
_Paths = Annotated[tuple[str, ...], FailFast()]
"""Validation stops at the first error: an error for each entry of a long invalid list would take much memory."""


class BriefRequest(Record):
    """The brief, as a page and as data."""

    ask: Literal["brief"]


class StatusRequest(Record):
    """The steps, their scores and the remaining budget."""

    ask: Literal["status"]


class DiffRequest(Record):
    """The files before and after a step."""

    ask: Literal["diff"]
    step: int


class CodeRequest(Record):
    """The editable files after a step, which becomes the parent of the next submission."""

    ask: Literal["checkout"]
    step: int


class EditableRequest(Record):
    """Which of these files are editable."""

    ask: Literal["sort"]
    paths: _Paths


class SubmitRequest(Record):
    """Score these files; takes one step."""

    ask: Literal["submit"]
    idea: str
    files: dict[str, str]
    left_out: _Paths = ()
    """Protected files that the program changed; they are not submitted."""


class CheckRequest(Record):
    """How much information these files add to the baseline; takes no step."""

    ask: Literal["check"]
    files: dict[str, str]


class TrialRequest(Record):
    """Train and score these files on practice questions; takes time, but no step."""

    ask: Literal["try"]
    files: dict[str, str]


class DoneRequest(Record):
    """The agent has finished and will not submit again."""

    ask: Literal["done"]


Request = Annotated[
    BriefRequest
    | StatusRequest
    | DiffRequest
    | CodeRequest
    | EditableRequest
    | CheckRequest
    | SubmitRequest
    | TrialRequest
    | DoneRequest,
    Field(discriminator="ask"),
]

_REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)


class Unreadable(Exception):
    """Why a line is not a valid request."""


def read_request(line: bytes) -> Request:
    """Parse a request, or raise Unreadable."""
    asked = read_json(line)
    if not is_object(asked) or len(asked) > _MOST_FIELDS:
        raise Unreadable(f"it must be a JSON object with at most {_MOST_FIELDS} fields")
    if not all(isinstance(text, str) for text in object_at(asked, "files").values()):
        raise Unreadable("every file must be a string")
    try:
        return _REQUESTS.validate_python(asked)
    except ValidationError as error:
        raise Unreadable(error.errors(include_url=False, include_input=False)[0]["msg"]) from error


class Response(Record):
    """The server's answer."""

    ok: bool
    """Whether the request was processed; that includes a step that crashed."""
    text: str
    """For people and models."""
    data: dict[str, object] = {}
    """For programs."""
