"""What can be set of an agent."""

from dataclasses import dataclass

Value = int | float | str


@dataclass(frozen=True)
class Setting:
    """Something a user may set; its value has the type of its default."""

    default: Value
    meaning: str
    required: bool = False
