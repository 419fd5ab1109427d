"""How long jobs tell what they are doing; the command line draws it, tests ignore it."""

from typing import Protocol


class Progress(Protocol):
    """Something that wants to know how far a long job has come."""

    def start(self, what: str, total: float | None = None) -> None:
        """Begin a piece of work; ``total`` in any unit, None where it is not known."""
        ...

    def advance(self, amount: float) -> None:
        """Tell that a part of the current piece of work is done."""
        ...

    def finish(self) -> None:
        """End the current piece of work."""
        ...


class Silent:
    """Progress that nobody watches."""

    def start(self, what: str, total: float | None = None) -> None:
        """Ignore it."""

    def advance(self, amount: float) -> None:
        """Ignore it."""

    def finish(self) -> None:
        """Ignore it."""
