"""Progress is bars on a terminal and plain lines elsewhere."""

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from fmlbench.cli.progress import PlainProgress, TimeColumn, progress_on


def console(*, terminal: bool) -> tuple[Console, io.StringIO]:
    screen = io.StringIO()
    return Console(file=screen, force_terminal=terminal, width=80, highlight=False, markup=False), screen


def test_a_log_gets_one_line_at_the_start_and_one_at_the_end():
    plain, screen = console(terminal=False)
    ticks = iter([100.0, 112.0])
    progress = PlainProgress(plain, clock=lambda: next(ticks))
    progress.start("Downloading [red]data[/red].zip\x1b[2J", total=10)
    for _ in range(10):
        progress.advance(1)
    progress.finish()
    assert screen.getvalue() == ("Downloading [red]data[/red].zip ...\nDownloading [red]data[/red].zip: done in 12 s\n")


def test_what_is_done_at_once_is_told_only_when_it_begins():
    plain, screen = console(terminal=False)
    progress = PlainProgress(plain, clock=lambda: 100.0)
    progress.start("unpacking")
    progress.finish()
    assert screen.getvalue() == "unpacking ...\n"


def test_a_terminal_gets_bars_that_may_be_nested():
    terminal, screen = console(terminal=True)
    with progress_on(terminal) as progress:
        progress.start("outer")
        progress.start("inner [bold]", total=4)
        progress.advance(2)
        progress.finish()
        progress.start("next")
        progress.finish()
        progress.finish()
        progress.start("last")
        progress.finish()
    shown = screen.getvalue()
    assert all(name in shown for name in ("outer", "inner [bold]", "next", "last"))


def test_a_failure_takes_the_bar_off_the_screen():
    terminal, screen = console(terminal=True)

    def fail() -> None:
        with progress_on(terminal) as progress:
            progress.start("work", total=2)
            raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        fail()
    show_cursor = "\x1b[?25h"
    assert show_cursor in screen.getvalue()
    assert "work: done" not in screen.getvalue()


def test_a_pipe_gets_plain_lines():
    plain, screen = console(terminal=False)
    with progress_on(plain) as progress:
        progress.start("work")
        progress.finish()
    assert "\x1b" not in screen.getvalue()


def test_a_bar_of_unknown_length_tells_the_time_it_took():
    now = [100.0]
    bars = Progress(get_time=lambda: now[0])
    bars.add_task("work", total=None)
    now[0] += 12
    assert TimeColumn().render(bars.tasks[0]).plain == "12 s so far"


def test_a_bar_of_known_length_tells_the_time_it_will_take():
    # Two units a second, measured by rich itself over its samples; 60 of 100 are left.
    now = [100.0]
    bars = Progress(get_time=lambda: now[0])
    work = bars.add_task("work", total=100)
    for _ in range(4):
        now[0] += 5
        bars.advance(work, 10)
    assert TimeColumn().render(bars.tasks[0]).plain == "about 30 s left"
