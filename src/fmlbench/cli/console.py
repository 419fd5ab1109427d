"""The two streams of the command line: results on stdout, what goes on meanwhile on stderr.

So a result can be piped and the work still be watched, and ``--json`` leaves nothing but JSON on stdout.
"""

import os
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

PLAIN_WIDTH = 160
"""Columns where there is no terminal to fit, but for what needs more; the variable COLUMNS overrules it."""


def stdout_console() -> "Console":
    """Where results go."""
    return _console(stderr=False)


def stderr_console() -> "Console":
    """Where progress, steps and errors go."""
    return _console(stderr=True)


def show(result: "RenderableType") -> None:
    """Print a result for a person; a name that is wider than the screen goes on beyond its edge, on one line."""
    from fmlbench.reports.terminal_tables import room_for

    console = stdout_console()
    if _is_free(console):
        console.width = max(PLAIN_WIDTH, room_for(result, console))
    console.print(result, crop=False)


def show_lines(text: "Text") -> None:
    """Print lines as they are, however long: diffs and logs must survive being copied and piped."""
    stdout_console().print(text, soft_wrap=True)


def show_json(value: object) -> None:
    """Print a result for a program."""
    from fmlbench.reports.json_text import to_json

    typer.echo(to_json(value))


def _console(*, stderr: bool) -> "Console":
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if _is_free(console):
        console.width = PLAIN_WIDTH
    return console


def _is_free(console: "Console") -> bool:
    """Whether nothing says how wide a page may be."""
    return not console.is_terminal and "COLUMNS" not in os.environ
