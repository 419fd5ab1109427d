"""What came of each attempt to play a run, in the run's own folder: attempts.jsonl.

An attempt that began and never ended was lost with its machine. Failures are machines' failures, never an agent's.
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
    """The sweep's user wanted it stopped, or another player was at work."""
    CUT_OFF = "cut off"
    """Somebody else wanted it stopped: a cluster whose time limit was reached, say."""
    TROUBLE = "machine trouble"
    """The player gave up on its machine: a full disk, a sandbox that does not start, a model that does not answer."""
    KILLED = "killed"
    CRASHED = "crashed"
    """The player had a bug."""
    REFUSED = "refused"
    """The player would not begin: something has to be mended by a person."""
    LOST = "lost"
    """The machine that played it was never heard of again."""

    @property
    def is_failure(self) -> bool:
        """Whether it counts towards the limit."""
        return self not in {AttemptEnd.COMPLETE, AttemptEnd.STOPPED}


class Began(Record):
    """A player was started."""

    event: Literal["began"] = "began"
    at: str = Field(default_factory=now)
    carrier: Lease = Field(default_factory=own_lease)
    """Who started it."""
    done: int
    """How much of the run was logged by then."""


class Ended(Record):
    """A player ended."""

    event: Literal["ended"] = "ended"
    at: str = Field(default_factory=now)
    ending: AttemptEnd
    reason: str = ""


class FailuresReset(Record):
    """Somebody mended what was wrong; what was before does not count any more."""

    event: Literal["forgiven"] = "forgiven"
    at: str = Field(default_factory=now)


Attempt = Annotated[Began | Ended | FailuresReset, Field(discriminator="event")]
_ATTEMPTS: TypeAdapter[Attempt] = TypeAdapter(Attempt)


@dataclass
class Tally:
    """What the attempts at a run amount to."""

    in_a_row: int = 0
    """Failures since the run last got any further."""
    is_refused: bool = False
    """Trying again is of no use before a person has mended something."""
    failures: Counter[AttemptEnd] = field(default_factory=Counter[AttemptEnd])
    reason: str = ""
    """Of the last failure."""
    begun: Began | None = None
    """The attempt that has not ended."""
    done: int = 0
    """How much of the run was logged when last looked at."""

    def take(self, attempt: Attempt) -> None:
        """Count an attempt."""
        match attempt:
            case Began():
                self.look(attempt.done)
                self.begun = attempt
            case Ended():
                self.begun = None
                if attempt.ending.is_failure:
                    self._fail(attempt.ending, attempt.reason)
            case FailuresReset():
                self.look(self.done)
                self.in_a_row, self.is_refused = 0, False

    def look(self, done: int) -> None:
        """Nobody plays the run: what has not ended is lost, and whatever got further did not fail in vain."""
        if self.begun is not None:
            self._fail(AttemptEnd.LOST, f"{self.begun.carrier.host} was not heard of again")
            self.begun = None
        if done > self.done:
            self.in_a_row, self.done = 0, done

    def _fail(self, ending: AttemptEnd, reason: str) -> None:
        self.failures[ending] += 1
        self.in_a_row, self.is_refused, self.reason = self.in_a_row + 1, ending is AttemptEnd.REFUSED, reason


def note(folder: RunFolder, attempt: Attempt) -> None:
    """Write down what happened to an attempt."""
    file = os.open(folder.attempts, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(file, _ATTEMPTS.dump_json(attempt) + b"\n")
    finally:
        os.close(file)


def read_attempts(folder: RunFolder) -> list[Attempt]:
    """Every attempt so far; a line that a kill tore is left out."""
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
    """Count the attempts at a run."""
    counted = Tally()
    for attempt in attempts:
        counted.take(attempt)
    return counted
