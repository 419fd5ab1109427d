"""Pipes whose two ends have different owners and are closed at different times."""

import os
from dataclasses import dataclass, field


@dataclass
class Pipe:
    """A pipe; closing an end that is already closed does nothing."""

    reader: int = field(init=False)
    writer: int = field(init=False)
    _open: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.reader, self.writer = os.pipe()
        self._open = {self.reader, self.writer}

    def close_reader(self) -> None:
        """Close our handle of the read end."""
        self._close(self.reader)

    def close_writer(self) -> None:
        """Close our handle of the write end; the reader then gets end of file."""
        self._close(self.writer)

    def close(self) -> None:
        """Close the ends that are still open."""
        self.close_reader()
        self.close_writer()

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.remove(end)
            os.close(end)
