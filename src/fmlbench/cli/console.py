"""The two streams of the command line: results on stdout, progress and errors on stderr.

Results can be piped while progress stays visible, and ``--json`` prints only JSON on stdout.
"""

import os

import typer
from rich.console import Console, Group, RenderableType
from rich.text import Text

from fmlbench.core.errors import BadRequest
from fmlbench.reports.json_text import to_json
from fmlbench.reports.table import DataTable, TableFormat, to_table, write_table
from fmlbench.reports.terminal_tables import room_for

PLAIN_WIDTH = 160
"""Minimum width without a terminal; the variable COLUMNS overrides it."""


def stdout_console() -> Console:
    """The console for results."""
    return _console(stderr=False)


def stderr_console() -> Console:
    """The console for progress, steps and errors."""
    return _console(stderr=True)


def show(result: RenderableType) -> None:
    """Print a formatted result. Names wider than the screen are neither cropped nor wrapped."""
    console = stdout_console()
    if _has_no_width(console):
        console.width = max(PLAIN_WIDTH, room_for(result, console))
    console.print(result, crop=False)


def show_lines(text: Text) -> None:
    """Print lines without wrapping, so that diffs and logs can be copied and piped."""
    stdout_console().print(text, soft_wrap=True)


def show_json(value: object) -> None:
    """Print a result as JSON."""
    typer.echo(to_json(value))


def read_format(form: str) -> TableFormat:
    """The table format of that name."""
    try:
        return TableFormat(form)
    except ValueError as error:
        raise BadRequest(f"Unknown table format '{form}'.", hint=f"Use one of {', '.join(TableFormat)}.") from error


def show_table(sheet: DataTable, form: TableFormat) -> None:
    """Print a table in the given format."""
    if form is TableFormat.TEXT:
        show(Group(to_table(sheet), *(Text(note) for note in sheet.notes)))
    else:
        show_lines(Text(write_table(sheet, form).rstrip("\n")))


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if _has_no_width(console):
        console.width = PLAIN_WIDTH
    return console


def _has_no_width(console: Console) -> bool:
    """Whether neither a terminal nor COLUMNS sets the width."""
    return not console.is_terminal and "COLUMNS" not in os.environ
