"""What a model may write: replacements within a file, and whole files."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Replacement:
    """Some lines of a file, and the lines that shall stand in their place."""

    path: str
    search: tuple[str, ...]
    replace: tuple[str, ...]


@dataclass(frozen=True)
class WholeFile:
    """A file as it shall be from its first to its last line."""

    path: str
    text: str


Edit = Replacement | WholeFile


class EditProblem(Exception):
    """Why an answer cannot be applied, in words that help its writer to mend it."""
