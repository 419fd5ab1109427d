"""Show a running sweep: a live table on a terminal, otherwise a line whenever a run ends."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live

from fmlbench.cli.sweep_tables import headline, status_page
from fmlbench.scheduling.sweep_status import JobState, Status


@contextmanager
def watching(console: Console) -> Generator[Callable[[Status], None]]:
    """A callback that shows a sweep's status. The live table is removed at the end."""
    if not console.is_terminal:
        yield PlainView(console)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda status: live.update(status_page(status), refresh=True)


class PlainView:
    """Prints a line when a run ends; for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed: tuple[object, ...] = ()

    def __call__(self, status: Status) -> None:
        """Print the status if more runs have ended or failed since the last call."""
        ended = (status.states[JobState.COMPLETE], status.states[JobState.FAILED], status.states[JobState.CANCELLED])
        if (*ended, status.failures) != self._printed:
            self._printed = (*ended, status.failures)
            self._console.print(headline(status), soft_wrap=True)
