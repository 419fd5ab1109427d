"""Tables as data, written as Markdown, CSV or LaTeX. Cells are sanitised."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich import table as rich_table
from rich.text import Text

from fmlbench.reports.terminal_tables import plain_table
from fmlbench.reports.untrusted import one_line


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


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(one_line(cell).translate(_LATEX) for cell in cells) + r" \\"
