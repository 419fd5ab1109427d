"""All runs of a task: a progress plot and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from fmlbench.core.errors import BadRequest
from fmlbench.core.evaluation import Goal
from fmlbench.core.text import score_text
from fmlbench.metrics.scale import best_so_far
from fmlbench.reports.agent_tables import agent_task_scores, agent_task_table
from fmlbench.reports.html.plots.progress_plot import ProgressLine, draw_progress
from fmlbench.reports.html.run_records import RunRecord, by_agent
from fmlbench.reports.html.similarity import similarity_table
from fmlbench.reports.measures import value_text
from fmlbench.reports.number_text import brief_estimate_text
from fmlbench.reports.summary import RunPhase, RunSummary
from fmlbench.reports.table import DataTable

_MEASURES = ("improvement", "transfer", "gain_in_sigmas", "valid_step_ratio", "auc", "diversity")


@dataclass(frozen=True)
class TaskLine:
    """A run in the table of its task."""

    key: str
    agent: str
    colour: str
    seed: int
    remark: str
    """The phase of an incomplete run; the flags of a complete one."""
    cells: Sequence[str]


@dataclass(frozen=True)
class TaskTable:
    """All runs of a task for the template."""

    name: str
    title: str
    question: str
    metric: str
    race: Markup
    rounds: DataTable | None
    """Means over seeds, a row per agent; None if the runs are not comparable."""
    columns: Sequence[str]
    lines: Sequence[TaskLine]
    similarity: DataTable | None
    """The similarity of the agents' winners; None if fewer than two agents have one."""


def task_table(runs: Mapping[str, RunRecord], agents: Mapping[str, str]) -> TaskTable:
    """The tables of one task; the keys of ``runs`` are page anchors."""
    task = next(iter(runs.values())).trace.task
    direction = "higher" if task.metric.goal is Goal.MAXIMIZE else "lower"
    runners = [_runner(key, run, agents[run.agent]) for key, run in runs.items()]
    return TaskTable(
        name=task.name,
        title=task.title,
        question=task.question,
        metric=f"{task.metric.name}, {direction} is better",
        race=draw_progress(runners, f"Best validation gain so far of {len(runs)} runs, by step."),
        rounds=_rounds(list(runs.values())),
        columns=("baseline", "best", "test gain [95%]", *(name.replace("_", " ") for name in _MEASURES)),
        lines=[_line(key, run, agents[run.agent]) for key, run in runs.items()],
        similarity=similarity_table(list(runs.values())),
    )


def _rounds(runs: Sequence[RunRecord]) -> DataTable | None:
    try:
        sheet = agent_task_table(agent_task_scores(by_agent(runs)), [run.measured for run in runs])
    except BadRequest:
        return None
    return replace(sheet, columns=sheet.columns[1:], rows=[row[1:] for row in sheet.rows])


def _runner(key: str, run: RunRecord, colour: str) -> ProgressLine:
    baseline = run.trace.baseline
    return ProgressLine(
        target=key,
        hint=f"{run.agent}, seed {run.spec.seed}",
        class_=colour,
        gains=best_so_far(run.trace, baseline) if baseline is not None else (),
    )


def _line(key: str, run: RunRecord, colour: str) -> TaskLine:
    summary = run.summary
    cells = (
        score_text(summary.baseline),
        score_text(summary.best.validation if summary.best else None),
        _test_gain(summary),
        *(value_text(run.measured.values[name]) for name in _MEASURES),
    )
    remark = ", ".join(summary.flags) if summary.stage is RunPhase.COMPLETE else str(summary.stage)
    return TaskLine(key, run.agent, colour, run.spec.seed, remark, cells)


def _test_gain(summary: RunSummary) -> str:
    if summary.test is None:
        return "-"
    difference = summary.test.difference
    return brief_estimate_text(difference, signed=True) if difference else str(summary.test.verdict)
