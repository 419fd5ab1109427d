"""The base of everything that is written to or read from disk."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen record; an unknown field is an error, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")
