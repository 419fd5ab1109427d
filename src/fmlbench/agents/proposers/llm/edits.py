"""The edits of a model: replacements of lines or definitions in a file, and whole files."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Replacement:
    """Lines of a file, and the lines that replace them."""

    path: str
    search: tuple[str, ...]
    replace: tuple[str, ...]


@dataclass(frozen=True)
class WholeFile:
    """The complete new text of a file."""

    path: str
    text: str
    is_fenced: bool = False
    """Whether it was written as a plain code block, which may be meant for a part of the file."""


@dataclass(frozen=True)
class Definitions:
    """Functions, classes and constants that replace those with the same names in a file."""

    path: str
    """Empty if the answer names no file; then the file is found by the names."""
    text: str


Edit = Replacement | WholeFile | Definitions


class EditProblem(Exception):
    """Why an answer cannot be applied, as feedback for the model."""

    def __init__(self, reason: str, meant: "Lines | None" = None) -> None:
        super().__init__(reason)
        self.meant = meant
        """The lines that the answer probably meant, if similar lines exist."""


@dataclass(frozen=True)
class Lines:
    """Some lines of a file."""

    path: str
    lines: tuple[str, ...]


class Repetition(EditProblem):
    """An answer that results in code that exists or was tried already."""
