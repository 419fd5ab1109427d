"""An append-only log of events: one line, one write and one fdatasync each.

A kill in mid-write can only leave a torn last line. Whoever opens the log to write sets that line aside; whoever
only reads ignores it. Damage anywhere else is nothing a kill can do, and is reported.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from fmlbench.core.errors import RunDamaged
from fmlbench.records.events import EVENTS, Event


class EventLog:
    """A log opened for appending; hold the run's lock while you do."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _set_torn_line_aside(path)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def append(self, event: Event) -> None:
        """Write an event so that it survives a kill; when this returns, it has happened."""
        line = EVENTS.dump_json(event) + b"\n"
        written = os.write(self._file, line)
        if written != len(line):
            # A full disk: take the half line back, so that the log stays whole.
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError(28, "No space left on device", str(self.path))
        os.fdatasync(self._file)

    def close(self) -> None:
        """Stop writing."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_events(path: Path) -> list[Event]:
    """Every event of a log; a torn last line is not an event."""
    whole, _ = _split(path)
    return [event for _, event in whole]


def _split(path: Path) -> tuple[list[tuple[bytes, Event]], bytes]:
    """The whole lines with their events, and what of the last line was torn."""
    if not path.exists():
        return [], b""
    lines = path.read_bytes().splitlines(keepends=True)
    whole: list[tuple[bytes, Event]] = []
    for number, line in enumerate(lines, start=1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("no end of line")
            whole.append((line, EVENTS.validate_json(line)))
        except (ValidationError, ValueError) as error:
            if number == len(lines):
                return whole, line
            raise RunDamaged(
                f"Line {number} of {path} is not an event.",
                hint="A kill cannot do this: restore the file from a copy, or start the run anew with --label.",
            ) from error
    return whole, b""


def _set_torn_line_aside(path: Path) -> None:
    whole, torn = _split(path)
    if not torn:
        return
    with path.with_name(path.name + ".torn").open("ab") as aside:
        aside.write(torn.rstrip(b"\n") + b"\n")
    os.truncate(path, sum(len(line) for line, _ in whole))
