"""Progress is bars on a terminal and plain lines elsewhere."""

import io

import pytest
from rich.console import Console

from fmlbench.cli.progress import PlainProgress, progress_on


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


def test_a_terminal_gets_bars_that_may_be_nested():
    terminal, screen = console(terminal=True)
    with progress_on(terminal) as progress:
        progress.start("outer")
        progress.start("inner [bold]", total=4)
        progress.advance(2)
        progress.finish()
        progress.finish()
    shown = screen.getvalue()
    assert shown.index("inner [bold]: done") < shown.index("outer: done")


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
