"""Append-only logs of records: one line, one write and one fdatasync each.

A kill in mid-write can only leave a torn last line. Whoever opens the log to write sets that line aside; whoever
only reads ignores it. Damage anywhere else is nothing a kill can do, and is reported.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from fmlbench.core.errors import RunDamaged
from fmlbench.records.events import EVENTS, FORMAT, Event, RunStarted

R = TypeVar("R")


class RecordLog(Generic[R]):
    """A log opened for appending; hold the run's lock while you do."""

    def __init__(self, path: Path, records: TypeAdapter[R]) -> None:
        self.path = path
        self._records = records
        _set_torn_line_aside(path, records)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def append(self, record: R) -> None:
        """Write a record so that it survives a kill; when this returns, it has happened."""
        line = self._records.dump_json(record) + b"\n"
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


class EventLog(RecordLog[Event]):
    """The log of a run's events."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, EVENTS)


def read_events(path: Path) -> list[Event]:
    """Every event of a log."""
    return list(each_event(path))


def read_records(path: Path, records: TypeAdapter[R]) -> list[R]:
    """Every record of a log; a torn last line is not a record."""
    return list(each_record(path, records))


def each_event(path: Path) -> Iterator[Event]:
    """Every event of a log, one at a time: who keeps few of them has few in memory."""
    for event in each_record(path, EVENTS):
        if isinstance(event, RunStarted) and event.format != FORMAT:
            raise RunDamaged(
                f"{path} has format {event.format}; this version of fmlbench reads format {FORMAT}.",
                hint="Read it with the version that wrote it; the first line of the log names it.",
            )
        yield event


def each_record(path: Path, records: TypeAdapter[R]) -> Iterator[R]:
    """Every record of a log, one at a time."""
    # Not by way of the adapter: that would take longer than many a line does.
    validate = records.validator.validate_json
    *lines, torn = _lines(path)
    for number, line in enumerate(lines, start=1):
        try:
            yield validate(line)
        except ValidationError as error:
            if number == len(lines) and not torn:
                return
            raise RunDamaged(
                f"Line {number} of {path} is not a record of its kind.",
                hint="A kill cannot do this: restore the file from a copy, or start the run anew with --label.",
            ) from error


def _lines(path: Path) -> list[bytes]:
    """The lines of a log, and last what comes after the last line's end: nothing, unless it was torn."""
    try:
        return path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [b""]


def _set_torn_line_aside(path: Path, records: TypeAdapter[R]) -> None:
    whole = sum(1 for _ in each_record(path, records))
    torn = b"\n".join(_lines(path)[whole:])
    if not torn:
        return
    with path.with_name(path.name + ".torn").open("ab") as aside:
        aside.write(torn.rstrip(b"\n") + b"\n")
    os.truncate(path, path.stat().st_size - len(torn))
