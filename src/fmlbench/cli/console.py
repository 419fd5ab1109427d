"""The two streams of the command line: results on stdout, progress and errors on stderr.

Results can be piped while progress stays visible, and ``--json`` prints only JSON on stdout.
"""

import os
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

PLAIN_WIDTH = 160
"""Minimum width without a terminal; the variable COLUMNS overrides it."""


def stdout_console() -> "Console":
    """The console for results."""
    return _console(stderr=False)


def stderr_console() -> "Console":
    """The console for progress, steps and errors."""
    return _console(stderr=True)


def show(result: "RenderableType") -> None:
    """Print a formatted result. Names wider than the screen are neither cropped nor wrapped."""
    from fmlbench.reports.table import room_for

    console = stdout_console()
    if _has_no_width(console):
        console.width = max(PLAIN_WIDTH, room_for(result, console))
    console.print(result, crop=False)


def show_lines(text: "Text") -> None:
    """Print lines without wrapping, so that diffs and logs can be copied and piped."""
    stdout_console().print(text, soft_wrap=True)


def show_json(value: object) -> None:
    """Print a result as JSON."""
    from fmlbench.reports.untrusted import to_json

    typer.echo(to_json(value))


def _console(*, stderr: bool) -> "Console":
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if _has_no_width(console):
        console.width = PLAIN_WIDTH
    return console


def _has_no_width(console: "Console") -> bool:
    """Whether neither a terminal nor COLUMNS sets the width."""
    return not console.is_terminal and "COLUMNS" not in os.environ
