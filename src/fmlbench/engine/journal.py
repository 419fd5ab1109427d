"""The two logs of a run together with the state they tell, kept in step."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from fmlbench.records.events import Event, Retested, TestScored
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import EventLog
from fmlbench.records.replay import RunState, read_state

Watch = Callable[[Event], None]
"""Told of every event after it was logged; for views, never for decisions."""


class Journal:
    """Append to the logs; what is in the state was logged before."""

    def __init__(self, folder: RunFolder, watch: Watch) -> None:
        self.state: RunState = read_state(folder)
        self._open = EventLog(folder.events)
        self._sealed = EventLog(folder.sealed)
        self._watch = watch

    def append(self, event: Event) -> None:
        """Let something have happened, for good."""
        log = self._sealed if isinstance(event, TestScored | Retested) else self._open
        log.append(event)
        self.state.take(event)
        self._watch(event)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self._sealed.close()
