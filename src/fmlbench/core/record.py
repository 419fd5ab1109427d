"""The base class of all records on disk."""

from pydantic import BaseModel, ConfigDict, ValidationError


class Record(BaseModel):
    """A frozen record; an unknown field is an error, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def first_problem(error: ValidationError) -> str:
    """The first validation error of a record's file, in one sentence."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    others = error.error_count() - 1
    more = f" (and {others} more)" if others else ""
    return f"{place}: {first['msg']}{more}."
