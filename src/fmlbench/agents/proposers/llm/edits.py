"""What a model may write: replacements of lines or definitions within a file, and whole files."""

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
    is_fenced: bool = False
    """Whether it was written as a mere code block, which may be meant for a part of the file."""


@dataclass(frozen=True)
class Definitions:
    """Functions, classes and constants that shall stand in a file in place of those that have their names."""

    path: str
    """Nothing where the answer has none; the names may tell."""
    text: str


Edit = Replacement | WholeFile | Definitions


class EditProblem(Exception):
    """Why an answer cannot be applied, in words that help its writer to mend it."""

    def __init__(self, reason: str, meant: "Lines | None" = None) -> None:
        super().__init__(reason)
        self.meant = meant
        """The lines that were probably looked for, where there are any like them."""


@dataclass(frozen=True)
class Lines:
    """Some lines of a file."""

    path: str
    lines: tuple[str, ...]


class Repetition(EditProblem):
    """An answer that leads to code which is there, or was tried, already."""
