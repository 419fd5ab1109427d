"""Groups of comparable runs: same isolation, track, budget and retests."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fmlbench.core.run import RunSpec
from fmlbench.reports.html.board import Board, make_board
from fmlbench.reports.html.correlations import CorrelationTable, correlation_table
from fmlbench.reports.html.plots.progress_plot import agent_class
from fmlbench.reports.html.run_records import RunRecord, by_agent
from fmlbench.reports.html.task_table import TaskTable, task_table
from fmlbench.reports.number_text import seal_text


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
    return f"{seal_text(spec.isolation)}, track {spec.track}, {spec.budget.terms}, {spec.retest_terms}"


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
