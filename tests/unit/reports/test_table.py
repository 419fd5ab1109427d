import csv
import io

from fmlbench.metrics.measured_run import measure_run
from fmlbench.reports.measure_tables import measure_table, run_data
from fmlbench.reports.table import DataTable, TableFormat, to_table, write_table
from tests.handwritten_runs import rendered
from tests.unit.metrics.traces import CRASH, trace

NASTY = DataTable(("name", "value"), [["a|b<script>\x1b[31m", "=1+1"], ["50% & more_{x}", "-0.5"]], ["read \x07this"])


def test_markdown_keeps_its_columns_and_no_markup():
    lines = write_table(NASTY, TableFormat.MARKDOWN).splitlines()
    assert lines[:3] == ["| name | value |", "|---|---|", "| a\\|b&lt;script> | =1+1 |"]
    assert lines[-1] == "read this"


def test_a_spreadsheet_finds_numbers_and_no_formulas():
    rows = list(csv.reader(io.StringIO(write_table(NASTY, TableFormat.CSV))))
    assert rows[1:] == [["a|b<script>", "'=1+1"], ["50% & more_{x}", "-0.5"]]


def test_latex_says_what_the_cell_says():
    text = write_table(NASTY, TableFormat.LATEX)
    assert r"50\% \& more\_\{x\} & -0.5 \\" in text
    assert text.startswith("% read this\n\\begin{tabular}{lr}\n\\toprule\n")


def test_a_terminal_gets_no_escape_sequences():
    assert "\x1b[31m" not in rendered(to_table(NASTY))


def test_measures_down_runs_across_and_why_a_value_is_missing():
    sheet = measure_table([measure_run(trace(0.6, CRASH, points=[(0, 0), (1, 0), (0, 1)]))])
    rows = {row[0]: row for row in sheet.rows}
    assert rows["steps_failed"][1:] == ["steps", "1.0000"]
    assert rows["improvement"][2] == "-"
    assert any("embedder points-0" in note for note in sheet.notes)
    assert any(
        note.startswith("improvement of") and note.endswith("retests are disabled (--retest 0).")
        for note in sheet.notes
    )


def test_one_row_per_run_at_full_precision_for_programs():
    sheet = run_data([measure_run(trace(0.6, 0.7, 0.9))])
    row = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    assert (row["improvement"], row["seal"], row["seed"]) == ("", "sealed by bubblewrap", "7")
    # Gains 0.1, 0.2, 0.4.
    assert abs(float(row["auc"]) - 0.7 / 3) < 1e-12
