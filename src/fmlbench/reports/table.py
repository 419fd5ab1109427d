"""Tables: as data, written as Markdown, CSV or LaTeX; and in the terminal.

Cells are sanitised. Names in the terminal are neither cut nor folded, because users copy them into the next command:
other columns are dropped instead.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from rich import box
from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from fmlbench.reports.untrusted import one_line

_LATEX = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)
Item = TypeVar("Item")
Cells = Mapping[str, Callable[[Item], Text]]
"""How to render each column, by its heading."""

_ENDLESS = 100_000
_PROSE_WIDTH = 24


class TableFormat(StrEnum):
    """The output format of a table."""

    TEXT = "text"
    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "tex"


@dataclass(frozen=True)
class DataTable:
    """Columns, rows of cells, and notes for the reader."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Layouts:
    """The same rows with fewer and fewer columns; the first table that fits is shown."""

    tables: Sequence[Table]
    lines: Group
    """Shown if no table fits; the name is last in its line, so that it may extend beyond the edge."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose the layout by the width of the terminal."""
        fitting = (table for table in self.tables if room_for(table, console) <= options.max_width)
        yield next(fitting, self.lines)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Without a fixed width the full table is shown."""
        return Measurement.get(console, options, self.tables[0])


def write_table(table: DataTable, form: TableFormat) -> str:
    """Format a table as text."""
    return {TableFormat.MARKDOWN: to_markdown, TableFormat.CSV: to_csv, TableFormat.LATEX: to_latex}[form](table)


def to_table(table: DataTable) -> rich_table.Table:
    """Format a table for the terminal."""
    rendered = plain_table(*map(one_line, table.columns))
    for row in table.rows:
        rendered.add_row(*(Text(one_line(cell)) for cell in row))
    return rendered


def to_markdown(table: DataTable) -> str:
    """Format a table as GitHub Markdown, with its notes below."""
    lines = [_markdown_row(table.columns), "|" + "---|" * len(table.columns)]
    lines += [_markdown_row(row) for row in table.rows]
    lines += ["", *(one_line(note) for note in table.notes)] if table.notes else []
    return "\n".join(lines) + "\n"


def to_csv(table: DataTable) -> str:
    """Format columns and rows as CSV, without notes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_inert(cell) for cell in table.columns])
    writer.writerows([_inert(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def to_latex(table: DataTable) -> str:
    """Format a table as a LaTeX tabular with booktabs rules, with its notes as comments."""
    lines = [f"% {one_line(note)}" for note in table.notes]
    lines += [r"\begin{tabular}{l" + "r" * (len(table.columns) - 1) + "}", r"\toprule"]
    lines += [_latex_row(table.columns), r"\midrule", *map(_latex_row, table.rows), r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escape_markdown(one_line(cell)) for cell in cells) + " |"


def _escape_markdown(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _inert(cell: str) -> str:
    """Quote a cell that a spreadsheet would execute as a formula; numbers are unchanged."""
    cell = one_line(cell)
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@")) and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == "-"
    return True


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(one_line(cell).translate(_LATEX) for cell in cells) + r" \\"


def room_for(report: RenderableType, console: Console) -> int:
    """The minimum width at which no unbreakable cell is broken."""
    return Measurement.get(console, console.options.update_width(_ENDLESS), report).minimum


def plain_table(*columns: str) -> Table:
    """A table without borders, so that it can be copied and searched; the first column is never wrapped."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=number == 0)
    return table


def fitting_table(
    items: Sequence[Item],
    cells: Cells[Item],
    layouts: Sequence[Sequence[str]],
    *,
    line: Sequence[str],
    prose: Sequence[str] = (),
) -> Layouts:
    """A table in several layouts, each the headings of its columns; ``line`` has the columns of the plain lines."""
    return Layouts([_table(items, cells, headings, prose=prose) for headings in layouts], _lines(items, cells, line))


def _table(items: Sequence[Item], cells: Cells[Item], headings: Sequence[str], *, prose: Sequence[str]) -> Table:
    """A table of some columns; only the prose columns are wrapped."""
    table = plain_table(*headings)
    for item in items:
        table.add_row(*(cells[heading](item) for heading in headings))
    for heading, column in zip(headings, table.columns, strict=True):
        widths = [cell_len(heading), *(cell_len(cells[heading](item).plain) for item in items)]
        column.no_wrap = heading not in prose
        column.min_width = min(max(widths), _PROSE_WIDTH) if heading in prose else max(widths)
    return table


def _lines(items: Iterable[Item], cells: Cells[Item], headings: Sequence[str]) -> Group:
    """Plain lines without alignment."""
    lines = (Text("  ").join(cells[heading](item) for heading in headings) for item in items)
    return Group(*(Text(no_wrap=True, overflow="ignore").append_text(line) for line in lines))
