"""Draw the progress of long jobs: bars on a terminal, a few plain lines elsewhere."""

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
"""What is done sooner is not told; there may be dozens of such pieces."""


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
        """Let the newest bar grow."""
        self._bars.advance(self._open[-1], amount)

    def finish(self) -> None:
        """Take the newest bar away; what took long leaves a line."""
        bar = self._open.pop()
        done = next(task for task in self._bars.tasks if task.id == bar)
        self._bars.remove_task(bar)
        _print_if_long(self._bars.console, done.description, done.elapsed or 0.0)
        if not self._open:
            self._bars.stop()

    def close(self) -> None:
        """Leave nothing on the screen."""
        self._bars.stop()


class TimeColumn(ProgressColumn):
    """How long a piece of work will still take, or where nobody knows, how long it has taken."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """The time in words."""
        left = task.time_remaining
        return Text(
            f"{duration_text(task.elapsed or 0.0)} so far" if left is None else f"about {duration_text(left)} left"
        )


class PlainProgress:
    """A line when work begins and, if it was long, one when it is done; for logs and pipes."""

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
        """Say what is done if it took long."""
        what, since = self._open.pop()
        _print_if_long(self._console, what, self._clock() - since)


def _print_if_long(console: Console, what: str, seconds: float) -> None:
    if seconds >= WORTH_A_LINE_SECONDS:
        console.print(Text(f"{what}: done in {duration_text(seconds)}", style="dim"), soft_wrap=True)
