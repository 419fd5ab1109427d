"""What a program can ask at the desk, and what it is told: one line of JSON each way."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from fmlbench.core.record import Record

MOST_BYTES = 32 * 2**20
"""Of one request; code that is longer than this is no code."""


class BriefWanted(Record):
    """The brief, as a page and as data."""

    ask: Literal["brief"]


class StatusWanted(Record):
    """How things stand: steps, scores, what is left."""

    ask: Literal["status"]


class DiffWanted(Record):
    """What a step changed."""

    ask: Literal["diff"]
    step: int


class CodeWanted(Record):
    """The editable files after a step; the next submission counts as made on top of it."""

    ask: Literal["checkout"]
    step: int


class Sorting(Record):
    """Which of these files may be changed."""

    ask: Literal["sort"]
    paths: tuple[str, ...]


class Submission(Record):
    """These files are to be scored; it costs a step."""

    ask: Literal["submit"]
    idea: str
    files: dict[str, str]
    left_out: tuple[str, ...] = ()
    """Protected files that the program changed all the same; they are not taken."""


class Trial(Record):
    """These files are to be tried on practice questions; it costs time, but no step."""

    ask: Literal["try"]
    files: dict[str, str]


Request = Annotated[
    BriefWanted | StatusWanted | DiffWanted | CodeWanted | Sorting | Submission | Trial, Field(discriminator="ask")
]

REQUESTS: TypeAdapter[Request] = TypeAdapter(Request)


class Answer(Record):
    """What the desk says."""

    ok: bool
    """Whether the request was carried out; a step that crashed is one that was."""
    text: str
    """For people and models."""
    data: dict[str, object] = {}
    """For programs."""
