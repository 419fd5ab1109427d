"""Terminal tables of tasks and runs.

Names are neither cut nor folded, because users copy them into the next command: other columns are dropped instead.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from fmlbench.core.evaluation import Goal
from fmlbench.core.task import Task
from fmlbench.core.text import score_text
from fmlbench.reports.number_text import brief_estimate_text, duration_text, mean_text, moment_text
from fmlbench.reports.summary import RunSummary
from fmlbench.reports.terminal import seal

Item = TypeVar("Item")
Cells = Mapping[str, Callable[[Item], Text]]
"""How to render each column, by its heading."""

_ENDLESS = 100_000
_PROSE_WIDTH = 24


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


def room_for(report: RenderableType, console: Console) -> int:
    """The minimum width at which no unbreakable cell is broken."""
    return Measurement.get(console, console.options.update_width(_ENDLESS), report).minimum


def plain_table(*columns: str) -> Table:
    """A table without borders, so that it can be copied and searched; the first column is never wrapped."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=number == 0)
    return table


def task_table(tasks: Iterable[Task]) -> Layouts:
    """One row per task."""
    cells: Cells[Task] = {
        "task": lambda task: Text(task.name, style="bold"),
        "question": lambda task: Text(task.question),
        "suites": lambda task: Text(", ".join(task.suites)),
        "tracks": lambda task: Text(", ".join(task.tracks)),
        "score": lambda task: Text(_aim(task)),
        "CPU per step": lambda task: Text(", ".join(_step_cost(task))),
    }
    layouts = (tuple(cells), ("task", "question", "score", "CPU per step"), ("task", "question", "score"))
    prose, listed = ("question", "score"), list(tasks)
    tables = [_table(listed, cells, headings, prose=prose) for headings in layouts]
    return Layouts(tables, _lines(listed, cells, ["task"]))


def _aim(task: Task) -> str:
    arrow = "higher" if task.metric.goal is Goal.MAXIMIZE else "lower"
    return f"{task.metric.name}, {arrow} is better"


def _step_cost(task: Task) -> list[str]:
    return [
        f"{duration_text(track.calibration.step_cpu_seconds)} ({name})"
        for name, track in task.tracks.items()
        if track.calibration
    ]


_RUN_CELLS: Cells[RunSummary] = {
    "run": lambda run: Text(run.run, style="bold"),
    "label": lambda run: Text(run.spec.label),
    "started": lambda run: Text(moment_text(run.started)),
    "state": lambda run: Text(str(run.stage)),
    "steps": lambda run: Text(f"{run.proposed} of {run.spec.budget.steps}"),
    "baseline": lambda run: Text(score_text(run.baseline)),
    "best": lambda run: Text(_best(run)),
    "test gain [95% interval]": lambda run: Text(_gain(run)),
    "seal": lambda run: seal(run.spec.isolation),
    "test gain": lambda run: Text(_short_gain(run)),
    "best score": lambda run: _marked(_best(run), run),
}

_RUN_LAYOUTS = (
    ("run", "label", "started", "state", "steps", "baseline", "best", "test gain [95% interval]", "seal"),
    ("run", "label", "started", "state", "steps", "best score", "test gain"),
    ("run", "label", "started", "state", "steps", "best score"),
    ("run", "label", "started", "state", "best score"),
    ("run", "label", "started", "state"),
    ("run", "started", "state"),
    ("run", "started"),
)


def run_table(runs: Sequence[RunSummary]) -> Layouts:
    """One row per run. Hidden scores of unfinished runs are not shown; unsealed scores are always marked."""
    left_out = set[str]() if any(run.spec.label for run in runs) else {"label"}
    layouts = ([heading for heading in layout if heading not in left_out] for layout in _RUN_LAYOUTS)
    tables = [_table(runs, _RUN_CELLS, headings) for headings in layouts]
    return Layouts(tables, _lines(runs, _RUN_CELLS, ["started", "run"]))


def _best(run: RunSummary) -> str:
    return score_text(run.best.validation if run.best else None)


def _gain(run: RunSummary) -> str:
    if run.test is None:
        return "-"
    if run.test.difference is None:
        return str(run.test.verdict)
    return brief_estimate_text(run.test.difference, signed=True)


def _short_gain(run: RunSummary) -> str:
    return mean_text(run.test.difference, signed=True) if run.test and run.test.difference else _gain(run)


def _marked(score: str, run: RunSummary) -> Text:
    """A score marked UNSEALED if necessary, for layouts without the seal column."""
    return Text(score) if run.is_sealed else Text(f"{score} ").append_text(seal(run.spec.isolation))


def _table(items: Sequence[Item], cells: Cells[Item], headings: Sequence[str], *, prose: Sequence[str] = ()) -> Table:
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
