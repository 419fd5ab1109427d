"""Groups of comparable runs (same isolation, track, budget and retests): leaderboard, tasks and correlations."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.errors import BadRequest
from fmlbench.core.run import RunSpec
from fmlbench.metrics.associations import Association, associate
from fmlbench.metrics.comparison import MEASURE, by_task
from fmlbench.metrics.leaderboard import Leaderboard, rank_agents
from fmlbench.metrics.measured_run import MeasuredRun
from fmlbench.metrics.statistics.significance import ALPHA
from fmlbench.reports.comparison import group_lines, leaderboard_table, verdict_lines
from fmlbench.reports.html.plots.comparison_plots import IntervalBar, agent_class, draw_interval_bars, draw_profiles
from fmlbench.reports.html.run_records import RunRecord, by_agent
from fmlbench.reports.html.task_table import TaskTable, task_table
from fmlbench.reports.number_text import seal_text
from fmlbench.reports.table import DataTable

_SHADES = 4
"""Number of colours on either side of zero."""


@dataclass(frozen=True)
class Board:
    """The leaderboard for the template."""

    sheet: DataTable
    """A row per agent, its name in the first column."""
    strips: Sequence[Markup]
    """A drawing per row."""
    colours: Sequence[str]
    profiles: Markup
    groups: Sequence[str]
    verdicts: Sequence[tuple[str, Sequence[str]]]
    """Per pair of agents: the verdict and its details."""


@dataclass(frozen=True)
class CorrelationCell:
    """A correlation with its interval, n and p."""

    r: str
    shade: str
    """Its colour class."""
    is_significant: bool
    """Whether it is significant after correction."""
    remark: str


@dataclass(frozen=True)
class CorrelationTable:
    """Correlations of measures with the improvement."""

    tasks: Sequence[str]
    rows: Sequence[tuple[str, Sequence[CorrelationCell | None]]]
    embedder: str


@dataclass(frozen=True)
class ComparisonGroup:
    """Runs that are comparable."""

    key: str
    terms: str
    """The terms that all runs share."""
    is_sealed: bool
    agents: Mapping[str, str]
    """The colour class of each agent."""
    board: Board | None
    refusal: str
    """Why there is no leaderboard."""
    tasks: Sequence[TaskTable]
    correlations: CorrelationTable | None


def make_comparison_groups(runs: Mapping[str, RunRecord]) -> list[ComparisonGroup]:
    """Groups of at least two runs, in order of their first run. The keys of ``runs`` are page anchors."""
    found: defaultdict[str, dict[str, RunRecord]] = defaultdict(dict)
    for key, run in runs.items():
        found[_terms(run.spec)][key] = run
    several = {terms: members for terms, members in found.items() if len(members) > 1}
    return [_group(f"l{number}", terms, members) for number, (terms, members) in enumerate(several.items())]


def _terms(spec: RunSpec) -> str:
    return f"{seal_text(spec.isolation)}, track {spec.track_text}, {spec.budget.terms}, {spec.retest_terms}"


def _group(key: str, terms: str, members: Mapping[str, RunRecord]) -> ComparisonGroup:
    runs = list(members.values())
    measured = by_agent(runs)
    agents = {name: agent_class(place) for place, name in enumerate(measured)}
    board, refusal = make_board(measured, agents)
    return ComparisonGroup(
        key=key,
        terms=terms,
        is_sealed=runs[0].summary.is_sealed,
        agents=agents,
        board=board,
        refusal=refusal,
        tasks=[
            task_table({key: run for key, run in members.items() if run.trace.task.name == task}, agents)
            for task in dict.fromkeys(run.trace.task.name for run in runs)
        ],
        correlations=correlation_table([run.measured for run in runs]),
    )


def make_board(agents: Mapping[str, Sequence[MeasuredRun]], colours: Mapping[str, str]) -> tuple[Board | None, str]:
    """The leaderboard of the agents with retested runs, or why there is none."""
    ranked = {agent: runs for agent, runs in agents.items() if any(map(_has_value, runs))}
    if not ranked:
        return None, "No run has been retested yet."
    try:
        return _drawn(rank_agents(ranked), _profiles(ranked, colours), colours), ""
    except BadRequest as error:
        return None, f"{error.message} {error.hint}"


def _has_value(run: MeasuredRun) -> bool:
    return run.is_over and run.get(MEASURE) is not None


def _profiles(agents: Mapping[str, Sequence[MeasuredRun]], colours: Mapping[str, str]) -> Markup:
    label = f"Performance profiles of {len(agents)} agents: for every improvement, the share of runs above it."
    return draw_profiles({agent: by_task(runs, MEASURE) for agent, runs in agents.items()}, colours, label)


def _drawn(board: Leaderboard, profiles: Markup, colours: Mapping[str, str]) -> Board:
    strips = [
        IntervalBar(
            mean=entry.mean,
            inner=entry.these_tasks,
            outer=entry.new_tasks,
            label=f"{entry.agent}: mean {board.measure} {entry.mean:.4f}",
            class_=colours[entry.agent],
        )
        for entry in board.entries
    ]
    return Board(
        sheet=leaderboard_table(board),
        strips=draw_interval_bars(strips),
        colours=[colours[entry.agent] for entry in board.entries],
        profiles=profiles,
        groups=list(group_lines(board)),
        verdicts=[_verdict(list(verdict_lines(comparison))) for comparison in board.comparisons],
    )


def _verdict(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    return lines[0], [line.strip() for line in lines[1:]]


def correlation_table(runs: Sequence[MeasuredRun]) -> CorrelationTable | None:
    """The table; None if there are too few runs or they are not comparable."""
    try:
        found = associate(runs)
    except BadRequest:
        return None
    if not found:
        return None
    tasks = list(dict.fromkeys(one.task for one in found))
    cells = {(one.measure, one.task): _cell(one) for one in found}
    measures = dict.fromkeys(one.measure for one in found)
    embedders = {run.embedder for run in runs if run.embedder}
    return CorrelationTable(
        tasks=tasks,
        rows=[(measure, [cells.get((measure, task)) for task in tasks]) for measure in measures],
        embedder=", ".join(sorted(embedders)),
    )


def _cell(one: Association) -> CorrelationCell:
    found = one.spearman
    interval = f"[{found.interval.low:+.2f}, {found.interval.high:+.2f}], " if found.interval else ""
    strength = min(int(abs(found.r) * _SHADES) + 1, _SHADES)
    return CorrelationCell(
        r=f"{found.r:+.2f}",
        shade=f"{'positive' if found.r > 0 else 'negative'}{strength}",
        is_significant=one.spearman_p_adjusted < ALPHA,
        remark=f"{interval}n = {found.n}, p = {found.p:.2g}, corrected {one.spearman_p_adjusted:.2g}",
    )
