"""Progress reports of long jobs; the command line displays them, tests ignore them."""

from typing import Protocol


class Progress(Protocol):
    """Receives progress reports of a long job."""

    def start(self, what: str, total: float | None = None) -> None:
        """Begin a piece of work; ``total`` in any unit, None if unknown."""
        ...

    def advance(self, amount: float) -> None:
        """Report that ``amount`` more of the current piece of work is done."""
        ...

    def finish(self) -> None:
        """End the current piece of work."""
        ...


class Silent:
    """Discards progress reports."""

    def start(self, what: str, total: float | None = None) -> None:
        """Ignore it."""

    def advance(self, amount: float) -> None:
        """Ignore it."""

    def finish(self) -> None:
        """Ignore it."""
