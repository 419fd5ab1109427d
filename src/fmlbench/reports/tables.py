"""Tables for a terminal: tasks, runs, and several runs side by side."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from fmlbench.core.figures import score_text
from fmlbench.core.metric import Goal
from fmlbench.core.task import Task
from fmlbench.reports.summary import Summary
from fmlbench.reports.terminal import seal
from fmlbench.reports.wording import brief_estimate_text, duration_text


def plain_table(*columns: str) -> Table:
    """A table without frills, so that it can be read aloud, copied and searched."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def task_table(tasks: Iterable[Task]) -> Table:
    """Tasks, one per line."""
    table = plain_table("task", "question", "suites", "tracks", "score", "CPU per step")
    for task in tasks:
        arrow = "higher" if task.metric.goal is Goal.MAXIMIZE else "lower"
        table.add_row(
            Text(task.name, style="bold", no_wrap=True),
            Text(task.question),
            Text(", ".join(task.suites)),
            Text(", ".join(task.tracks)),
            Text(f"{task.metric.name}, {arrow} is better"),
            Text(", ".join(_step_cost(task))),
        )
    return table


def _step_cost(task: Task) -> list[str]:
    return [
        f"{duration_text(track.calibration.step_cpu_seconds)} ({name})"
        for name, track in task.tracks.items()
        if track.calibration
    ]


def run_table(summaries: Sequence[Summary]) -> Table:
    """Runs, one per line; no hidden score of a run that is not over."""
    table = plain_table("run", "state", "steps", "baseline", "best", "test gain [95% interval]", "seal")
    for summary in summaries:
        table.add_row(
            Text(summary.run, style="bold", overflow="fold"),
            Text(str(summary.stage)),
            Text(f"{summary.proposed} of {summary.spec.budget.steps}"),
            Text(score_text(summary.baseline)),
            Text(score_text(summary.best.validation if summary.best else None)),
            Text(_gain(summary)),
            seal(summary.spec.rung),
        )
    return table


def _gain(summary: Summary) -> str:
    if summary.test is None:
        return "-"
    if summary.test.difference is None:
        return str(summary.test.verdict)
    return brief_estimate_text(summary.test.difference, signed=True)
