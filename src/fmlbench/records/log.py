"""Append-only logs of records: one line, one write and one fdatasync each.

A kill in mid-write can only leave a torn last line. Whoever opens the log to write sets that line aside; whoever
only reads ignores it. Damage anywhere else is nothing a kill can do, and is reported.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from fmlbench.core.errors import RunDamaged
from fmlbench.records.events import EVENTS, Event

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
    return read_records(path, EVENTS)


def read_records(path: Path, records: TypeAdapter[R]) -> list[R]:
    """Every record of a log; a torn last line is not a record."""
    return _split(path, records)[0]


def _split(path: Path, records: TypeAdapter[R]) -> tuple[list[R], bytes]:
    """The records, and what of the last line was torn."""
    try:
        *lines, torn = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], b""
    # Not by way of the adapter: that would take longer than many a line does.
    validate = records.validator.validate_json
    found: list[R] = []
    try:
        for line in lines:
            found.append(validate(line))  # noqa: PERF401 - what was found counts when a line is torn
    except ValidationError as error:
        if len(found) == len(lines) - 1 and not torn:
            return found, lines[-1] + b"\n"
        raise RunDamaged(
            f"Line {len(found) + 1} of {path} is not a record of its kind.",
            hint="A kill cannot do this: restore the file from a copy, or start the run anew with --label.",
        ) from error
    return found, torn


def _set_torn_line_aside(path: Path, records: TypeAdapter[R]) -> None:
    _, torn = _split(path, records)
    if not torn:
        return
    with path.with_name(path.name + ".torn").open("ab") as aside:
        aside.write(torn.rstrip(b"\n") + b"\n")
    os.truncate(path, path.stat().st_size - len(torn))
