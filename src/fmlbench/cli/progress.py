"""Draw the progress of long jobs: bars on a terminal, a few plain lines elsewhere."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from fmlbench.core.progress import Progress
from fmlbench.reports.untrusted import one_line
from fmlbench.reports.wording import duration_text


@contextmanager
def progress_on(console: Console) -> Generator[Progress]:
    """Progress that is drawn on a console, and gone from it however the work ends."""
    if not console.is_terminal:
        yield PlainProgress(console)
        return
    drawn = DrawnProgress(console)
    try:
        yield drawn
    finally:
        drawn.close()


class DrawnProgress:
    """A bar with the time it will still take; pieces of work may hold smaller ones."""

    def __init__(self, console: Console) -> None:
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(show_speed=False),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._open: list[TaskID] = []

    def start(self, what: str, total: float | None = None) -> None:
        """Show another bar."""
        if not self._open:
            self._bars.start()
        self._open.append(self._bars.add_task(one_line(what, 60), total=total))

    def advance(self, amount: float) -> None:
        """Let the newest bar grow."""
        self._bars.advance(self._open[-1], amount)

    def finish(self) -> None:
        """Take the newest bar away; what it was about is told in a line."""
        bar = self._open.pop()
        done = next(task for task in self._bars.tasks if task.id == bar)
        self._bars.remove_task(bar)
        self._bars.console.print(_done(done.description, done.elapsed or 0.0))
        if not self._open:
            self._bars.stop()

    def close(self) -> None:
        """Leave nothing on the screen."""
        self._bars.stop()


class PlainProgress:
    """One line when work begins and one when it is done, for logs and pipes."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._open: list[tuple[str, float]] = []

    def start(self, what: str, total: float | None = None) -> None:
        """Say what begins."""
        del total
        self._open.append((one_line(what), self._clock()))
        self._console.print(Text(f"{self._open[-1][0]} ..."), soft_wrap=True)

    def advance(self, amount: float) -> None:
        """Say nothing: a log is no place for bars."""

    def finish(self) -> None:
        """Say what is done, and how long it took."""
        what, since = self._open.pop()
        self._console.print(_done(what, self._clock() - since), soft_wrap=True)


def _done(what: str, seconds: float) -> Text:
    return Text(f"{what}: done in {duration_text(seconds)}", style="dim")
