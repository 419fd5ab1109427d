"""The leaderboard: means with intervals, tie groups, and verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from fmlbench.core.errors import BadRequest
from fmlbench.metrics.comparison import MEASURE, by_task
from fmlbench.metrics.leaderboard import Leaderboard, rank_agents
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.reports.comparison import group_lines, leaderboard_table, verdict_lines
from fmlbench.reports.html.plots.interval_bars import IntervalBar, draw_interval_bars
from fmlbench.reports.html.plots.profile import draw_profiles
from fmlbench.reports.table import DataTable


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
