"""Pipes whose two ends are closed at different times by different owners."""

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
        """Close our handle on the end that is read from."""
        self._close(self.reader)

    def close_writer(self) -> None:
        """Close our handle on the end that is written to; its reader then meets the end of the file."""
        self._close(self.writer)

    def close(self) -> None:
        """Close what is still open."""
        self.close_reader()
        self.close_writer()

    def _close(self, end: int) -> None:
        if end in self._open:
            self._open.remove(end)
            os.close(end)
