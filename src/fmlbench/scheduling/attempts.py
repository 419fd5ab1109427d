"""The log of attempts to execute a run, in the run's folder: attempts.jsonl.

An attempt without an end was lost with its machine. Failed attempts are infrastructure failures, never the agent's.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from fmlbench.core.record import Record
from fmlbench.records.events import now
from fmlbench.records.folder import RunFolder
from fmlbench.records.lease import Lease, own_lease


class AttemptEnd(StrEnum):
    """How an attempt ended."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    """The user stopped the sweep, or another process executes the run."""
    CUT_OFF = "cut off"
    """Stopped from outside, for example at a cluster's time limit."""
    TROUBLE = "infrastructure failure"
    """The machine or a service failed: a full disk, a sandbox that does not start, a model that does not answer."""
    KILLED = "killed"
    CRASHED = "crashed"
    """A bug in fmlbench."""
    REFUSED = "refused"
    """The run could not start; the user has to fix something."""
    LOST = "lost"
    """The machine disappeared."""

    @property
    def is_failure(self) -> bool:
        """Whether it counts towards the limit of failures."""
        return self not in {AttemptEnd.COMPLETE, AttemptEnd.STOPPED}


class Began(Record):
    """An attempt was started."""

    event: Literal["began"] = "began"
    at: str = Field(default_factory=now)
    started_by: Lease = Field(default_factory=own_lease)
    """The process that started it."""
    done: int
    """Progress of the run at the start, in logged items."""


class Ended(Record):
    """An attempt ended."""

    event: Literal["ended"] = "ended"
    at: str = Field(default_factory=now)
    ending: AttemptEnd
    reason: str = ""


class FailuresReset(Record):
    """The user fixed the cause; earlier failures no longer count."""

    event: Literal["reset"] = "reset"
    at: str = Field(default_factory=now)


Attempt = Annotated[Began | Ended | FailuresReset, Field(discriminator="event")]
_ATTEMPTS: TypeAdapter[Attempt] = TypeAdapter(Attempt)


@dataclass
class Tally:
    """A summary of the attempts at a run."""

    consecutive_failures: int = 0
    """Consecutive failures without progress."""
    is_refused: bool = False
    """Whether a retry is useless until the user fixes something."""
    failures: Counter[AttemptEnd] = field(default_factory=Counter[AttemptEnd])
    reason: str = ""
    """The reason of the last failure."""
    open_attempt: Began | None = None
    """The attempt without an end."""
    done: int = 0
    """Progress of the run at the last check, in logged items."""

    def take(self, attempt: Attempt) -> None:
        """Count an attempt."""
        match attempt:
            case Began():
                self.update(attempt.done)
                self.open_attempt = attempt
            case Ended():
                self.open_attempt = None
                if attempt.ending.is_failure:
                    self._fail(attempt.ending, attempt.reason)
            case FailuresReset():
                self.update(self.done)
                self.consecutive_failures, self.is_refused = 0, False

    def update(self, done: int) -> None:
        """Update for a run that no process executes: an open attempt is lost, and progress resets the failures."""
        if self.open_attempt is not None:
            self._fail(AttemptEnd.LOST, f"lost contact with {self.open_attempt.started_by.host}")
            self.open_attempt = None
        if done > self.done:
            self.consecutive_failures, self.done = 0, done

    def _fail(self, ending: AttemptEnd, reason: str) -> None:
        self.failures[ending] += 1
        self.consecutive_failures += 1
        self.is_refused, self.reason = ending is AttemptEnd.REFUSED, reason


def log_attempt(folder: RunFolder, attempt: Attempt) -> None:
    """Append an event to the log of attempts."""
    file = os.open(folder.attempts, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(file, _ATTEMPTS.dump_json(attempt) + b"\n")
    finally:
        os.close(file)


def read_attempts(folder: RunFolder) -> list[Attempt]:
    """All events so far; lines cut off by a kill are skipped."""
    try:
        lines = folder.attempts.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    found: list[Attempt] = []
    for line in lines:
        try:
            found.append(_ATTEMPTS.validate_json(line))
        except ValidationError:
            continue
    return found


def tally(attempts: Sequence[Attempt]) -> Tally:
    """Summarise the attempts at a run."""
    counted = Tally()
    for attempt in attempts:
        counted.take(attempt)
    return counted
