"""The two logs of a run and the state derived from them, kept in sync."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from fmlbench.records.events import Event, Retested, TestScored
from fmlbench.records.folder import RunFolder
from fmlbench.records.log import EventLog
from fmlbench.records.replay import RunState, read_state

Watch = Callable[[Event], None]
"""Called with every event after it was logged; for display only, never for decisions."""


class Journal:
    """Appends events to the logs; the state contains only logged events."""

    def __init__(self, folder: RunFolder, watch: Watch) -> None:
        self.state: RunState = read_state(folder)
        self._open = EventLog(folder.events)
        self._sealed = EventLog(folder.sealed)
        self._watch = watch

    def append(self, event: Event) -> None:
        """Log an event permanently, then update the state."""
        log = self._sealed if isinstance(event, TestScored | Retested) else self._open
        log.append(event)
        self.state.apply(event)
        self._watch(event)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self._sealed.close()
