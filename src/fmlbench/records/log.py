"""Append-only logs of records: one line, one write and one fdatasync each.

A kill during a write can only leave an incomplete last line. A writer moves that line to a file ``*.torn`` when it
opens the log; readers ignore it. A kill cannot damage any other line, so other damage is an error.
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
    """A log opened for appending; the caller must hold the run's lock."""

    def __init__(self, path: Path, records: TypeAdapter[R]) -> None:
        self.path = path
        self._records = records
        _move_torn_line(path, records)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def append(self, record: R) -> None:
        """Write a record; when this returns, it is on disk and survives a kill."""
        line = self._records.dump_json(record) + b"\n"
        written = os.write(self._file, line)
        if written != len(line):
            # The disk is full: remove the incomplete line, so that the log stays valid.
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError(28, "No space left on device", str(self.path))
        os.fdatasync(self._file)

    def close(self) -> None:
        """Close the log."""
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
    """Every event of a log, one at a time, to save memory."""
    for event in each_record(path, EVENTS):
        if isinstance(event, RunStarted) and event.format != FORMAT:
            raise RunDamaged(
                f"{path} has format {event.format}; this version of fmlbench reads format {FORMAT}.",
                hint="Read it with the version of fmlbench in the first line of the log.",
            )
        yield event


def each_record(path: Path, records: TypeAdapter[R]) -> Iterator[R]:
    """Every record of a log, one at a time."""
    # The validator is called directly, because the adapter's overhead exceeds the cost of many lines.
    validate = records.validator.validate_json
    *lines, torn = _lines(path)
    for number, line in enumerate(lines, start=1):
        try:
            yield validate(line)
        except ValidationError as error:
            if number == len(lines) and not torn:
                return
            raise RunDamaged(
                f"Line {number} of {path} is not a valid record.",
                hint="An interruption cannot cause this. Restore the file from a copy or start a new run with --label.",
            ) from error


def _lines(path: Path) -> list[bytes]:
    """The lines of a log, followed by the text after the last newline: empty unless a write was interrupted."""
    try:
        return path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [b""]


def _move_torn_line(path: Path, records: TypeAdapter[R]) -> None:
    complete = sum(1 for _ in each_record(path, records))
    torn = b"\n".join(_lines(path)[complete:])
    if not torn:
        return
    with path.with_name(path.name + ".torn").open("ab") as file:
        file.write(torn.rstrip(b"\n") + b"\n")
    os.truncate(path, path.stat().st_size - len(torn))
