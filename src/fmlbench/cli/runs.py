"""fmlbench runs: list the runs."""

from pathlib import Path

from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption
from fmlbench.core.errors import FmlbenchError
from fmlbench.records.folder import RunFolder
from fmlbench.reports.summary import RunSummary, read_summary
from fmlbench.reports.terminal_tables import run_table
from fmlbench.reports.untrusted import one_line


def runs(as_json: JsonOption = False) -> None:
    """List the runs with their state and scores.

    Runs are stored in the folder given by the variable FMLBENCH_RUNS, or in ./runs.
    """
    folder = find_dirs().runs
    found = _read_summaries(folder)
    if as_json:
        show_json([{"folder": run.path, "summary": summary} for run, summary in found])
    elif found:
        show(run_table([summary for _, summary in found]))
    else:
        show_lines(Text(f"No runs in {folder} yet. Start one with: fmlbench run TASK"))


def _read_summaries(folder: Path) -> list[tuple[RunFolder, RunSummary]]:
    """All runs of a folder, the newest last. Unreadable runs are reported and skipped."""
    found: list[tuple[RunFolder, RunSummary]] = []
    for specification in sorted(folder.glob("*/run.json")):
        run = RunFolder(specification.parent)
        try:
            found.append((run, read_summary(run)))
        except FmlbenchError as error:
            left_out = Text(f"skipped {run.path.name}: {one_line(error.message)}", "yellow")
            stderr_console().print(left_out, soft_wrap=True)
    return sorted(found, key=lambda run: run[1].started)
