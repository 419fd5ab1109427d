"""Show the progress of long jobs: bars on a terminal, a few plain lines elsewhere."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TaskID, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bars
from rich.text import Text

from fmlbench.core.progress import Progress
from fmlbench.reports.number_text import duration_text
from fmlbench.reports.untrusted import one_line

WORTH_A_LINE_SECONDS = 1.0
"""Shorter jobs leave no line; there may be dozens of them."""


@contextmanager
def progress_on(console: Console) -> Generator[Progress]:
    """Progress shown on a console; bars are removed at the end, also after an error."""
    if not console.is_terminal:
        yield PlainProgress(console)
        return
    drawn = DrawnProgress(console)
    try:
        yield drawn
    finally:
        drawn.close()


class DrawnProgress:
    """Progress bars with the estimated time left. Jobs may be nested."""

    def __init__(self, console: Console) -> None:
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeColumn(),
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
        """Advance the newest bar."""
        self._bars.advance(self._open[-1], amount)

    def finish(self) -> None:
        """Remove the newest bar; a long job leaves a line."""
        bar = self._open.pop()
        done = next(task for task in self._bars.tasks if task.id == bar)
        self._bars.remove_task(bar)
        _print_if_long(self._bars.console, done.description, done.elapsed or 0.0)
        if not self._open:
            self._bars.stop()

    def close(self) -> None:
        """Remove all bars."""
        self._bars.stop()


class TimeColumn(ProgressColumn):
    """The estimated time left, or the elapsed time if there is no estimate."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """The time as text."""
        left = task.time_remaining
        return Text(
            f"{duration_text(task.elapsed or 0.0)} so far" if left is None else f"about {duration_text(left)} left"
        )


class PlainProgress:
    """A line when a job starts and, if it was long, one when it is done; for logs and pipes."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._open: list[tuple[str, float]] = []

    def start(self, what: str, total: float | None = None) -> None:
        """Print what starts."""
        del total
        self._open.append((one_line(what), self._clock()))
        self._console.print(Text(f"{self._open[-1][0]} ..."), soft_wrap=True)

    def advance(self, amount: float) -> None:
        """Print nothing."""

    def finish(self) -> None:
        """Print what is done if it took long."""
        what, since = self._open.pop()
        _print_if_long(self._console, what, self._clock() - since)


def _print_if_long(console: Console, what: str, seconds: float) -> None:
    if seconds >= WORTH_A_LINE_SECONDS:
        console.print(Text(f"{what}: done in {duration_text(seconds)}", style="dim"), soft_wrap=True)
