"""Watch a sweep: a table that is kept up to date on a terminal, a line whenever a run ends elsewhere."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live

from fmlbench.cli.sweep_tables import headline, status_page
from fmlbench.scheduling.status import Status
from fmlbench.scheduling.sweep_state import JobState


@contextmanager
def watching(console: Console) -> Generator[Callable[[Status], None]]:
    """Something to tell a sweep's status to; a terminal is left as it was."""
    if not console.is_terminal:
        yield PlainView(console)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda status: live.update(status_page(status), refresh=True)


class PlainView:
    """Prints a line when a run has ended; for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said: tuple[object, ...] = ()

    def __call__(self, status: Status) -> None:
        """Say how far the sweep is, if more runs are over than last time."""
        ended = (status.states[JobState.COMPLETE], status.states[JobState.FAILED], status.states[JobState.CANCELLED])
        if (*ended, status.failures) != self._said:
            self._said = (*ended, status.failures)
            self._console.print(headline(status), soft_wrap=True)
