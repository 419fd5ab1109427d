"""All runs of a task: a progress plot, tables, and the similarity of the winners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from fmlbench.core.errors import BadRequest, RunDamaged
from fmlbench.core.evaluation import Goal
from fmlbench.core.text import score_text
from fmlbench.metrics.trace import best_so_far
from fmlbench.reports.html.plots.comparison_plots import ProgressLine, draw_progress
from fmlbench.reports.html.run_records import RunRecord, by_agent
from fmlbench.reports.measure_tables import agent_task_scores, agent_task_table, value_text
from fmlbench.reports.number_text import brief_estimate_text
from fmlbench.reports.summary import RunPhase, RunSummary
from fmlbench.reports.table import DataTable
from fmlbench.workspace.information import shared_share
from fmlbench.workspace.snapshots import Snapshots

_MEASURES = ("improvement", "transfer", "gain_in_sigmas", "valid_step_ratio", "auc", "diversity")
Code = Mapping[str, str]
_NOTE = (
    "The share of the information that the row's winner adds to the baseline that the column's code adds too. "
    "Each agent is represented by its run with the best validation score."
)


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
    runners = [_progress(key, run, agents[run.agent]) for key, run in runs.items()]
    return TaskTable(
        name=task.name,
        title=task.title,
        question=task.question,
        metric=f"{task.metric.name}, {direction} is better",
        race=draw_progress(runners, f"Best validation gain so far of {len(runs)} runs, by step."),
        rounds=_rounds(list(runs.values())),
        columns=("baseline", "best", "test gain [95%]", *(name.replace("_", " ") for name in _MEASURES)),
        lines=[_task_line(key, run, agents[run.agent]) for key, run in runs.items()],
        similarity=similarity_table(list(runs.values())),
    )


def _rounds(runs: Sequence[RunRecord]) -> DataTable | None:
    try:
        sheet = agent_task_table(agent_task_scores(by_agent(runs)), [run.measured for run in runs])
    except BadRequest:
        return None
    return replace(sheet, columns=sheet.columns[1:], rows=[row[1:] for row in sheet.rows])


def _progress(key: str, run: RunRecord, colour: str) -> ProgressLine:
    baseline = run.trace.baseline
    return ProgressLine(
        target=key,
        hint=f"{run.agent}, seed {run.spec.seed}",
        class_=colour,
        gains=best_so_far(run.trace, baseline) if baseline is not None else (),
    )


def _task_line(key: str, run: RunRecord, colour: str) -> TaskLine:
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


def similarity_table(runs: Sequence[RunRecord]) -> DataTable | None:
    """The similarity of the agents' winners; None if fewer than two agents have one."""
    best = _best_runs(runs)
    code = {agent: found for agent, run in best.items() if (found := _winner_and_baseline(run))}
    if len(code) < 2:
        return None
    return DataTable(
        columns=("agent", "seed", "expert reference", *code),
        rows=[
            (
                agent,
                str(best[agent].spec.seed),
                _percent(best[agent].trace.reference_similarity),
                *("" if agent == other else _percent(_share(code[agent], code[other])) for other in code),
            )
            for agent in code
        ],
        notes=(_NOTE,),
    )


def _best_runs(runs: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Each agent's run with the best validation score, if its winner is not the baseline."""
    best: dict[str, RunRecord] = {}
    for run in runs:
        winner = run.trace.winner
        if winner is None or winner.index == 0 or winner.evaluation.score is None:
            continue
        rival = best[run.agent].trace.winner if run.agent in best else None
        rival_score = rival.evaluation.score if rival else None
        if rival_score is None or run.trace.metric.gain(winner.evaluation.score, rival_score) > 0:
            best[run.agent] = run
    return best


def _winner_and_baseline(run: RunRecord) -> tuple[Code, Code] | None:
    """The code of a run's winner and of its baseline; None if snapshots are missing."""
    winner = run.trace.winner
    assert winner is not None  # noqa: S101 - called only for runs with a winner
    snapshots = Snapshots(run.folder.code)
    try:
        return snapshots.read(winner.snapshot), snapshots.read(run.state.steps[0].snapshot)
    except RunDamaged:
        return None


def _share(one: tuple[Code, Code], other: tuple[Code, Code]) -> float:
    (files, baseline), (others, _) = one, other
    return shared_share(files, others, baseline)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
