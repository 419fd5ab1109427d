"""fmlbench compare: test which agent is better."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from fmlbench.cli.console import read_format, show, show_json, show_table, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import EmbedderOption, FormatOption, JsonOption
from fmlbench.cli.selection import group_by_agent, measure_selected, runs_of_agent
from fmlbench.core.errors import BadRequest
from fmlbench.core.run import agent_names
from fmlbench.metrics.leaderboard import Leaderboard, rank_agents
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.reports.comparison import group_lines, leaderboard_table, task_difference_table, verdict_lines
from fmlbench.reports.number_text import seal_text
from fmlbench.reports.table import TableFormat
from fmlbench.workspace.dirs import Dirs

_MOST_IN_FULL = 3
"""With more pairs of agents than this, only brief verdicts are printed."""
_BRIEF_LINES = 2
"""Lines of a brief verdict: the verdict and the difference."""


def compare(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="A B...",
            help="Two or more agents by name, such as 'greedy', or 'mcts:exploration=2' if runs differ in settings; "
            "or groups of runs: a pattern of run names such as 'toy.cpu.greedy.*', or a folder of runs. NAME=GROUP "
            "renames a group. A single study file or folder compares all agents in it.",
        ),
    ],
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="The measure to compare by; docs/metrics.md lists the measures.")
    ] = "improvement",
    embedder: EmbedderOption = "none",
    form: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Compare agents: better, worse or undecided.

    Runs are paired by task and seed. The output gives the difference, the tasks, and how many more seeds would decide.
    """
    wanted = read_format(form)
    contestants = _contestants(agents, embedder)
    board = rank_agents(contestants, measure)
    if as_json:
        show_json(board)
    else:
        _show_board(board, seal_text(next(iter(contestants.values()))[0].spec.isolation), wanted)


def _show_board(board: Leaderboard, seal: str, wanted: TableFormat) -> None:
    """Print a leaderboard and a verdict per pair of agents."""
    is_brief = wanted is TableFormat.TEXT and len(board.comparisons) > _MOST_IN_FULL
    for comparison in () if is_brief else board.comparisons:
        show_table(task_difference_table(comparison), wanted)
    show_table(leaderboard_table(board), wanted)
    if wanted is TableFormat.TEXT:
        show(Group(*map(Text, ("", seal, *_verdicts(board, is_brief=is_brief), *group_lines(board)))))


def _verdicts(board: Leaderboard, *, is_brief: bool) -> Iterator[str]:
    for comparison in board.comparisons:
        yield from islice(verdict_lines(comparison), _BRIEF_LINES if is_brief else None)
    if is_brief:
        yield "Use --json, a report, or compare two agents alone, for the details and how many more seeds would decide."


def _contestants(words: Sequence[str], embedder: str) -> dict[str, list[MeasuredRun]]:
    """The groups given as arguments, or the agents of a single group."""
    dirs = find_dirs()
    groups = dict(_named(word, dirs) for word in words)
    found = {name: measure_selected([group], embedder) for name, group in groups.items()}
    if len(found) == 1:
        (runs,) = found.values()
        found = _begun(group_by_agent(runs))
    if len(found) < 2:
        raise BadRequest(
            "A comparison needs at least two agents.",
            hint="Name two or more groups of runs, or a study or folder with two or more agents.",
        )
    for name, runs in found.items():
        _require_one_agent(name, runs)
    return found


def _begun(agents: dict[str, list[MeasuredRun]]) -> dict[str, list[MeasuredRun]]:
    """The agents with at least one finished run."""
    waiting = [name for name, runs in agents.items() if not any(run.is_over for run in runs)]
    if waiting:
        stderr_console().print(Text(f"left out, no finished run: {', '.join(waiting)}", "yellow"), soft_wrap=True)
    return {name: runs for name, runs in agents.items() if name not in waiting}


def _named(word: str, dirs: Dirs) -> tuple[str, str]:
    """Split NAME=GROUP, unless the whole word names an agent: its settings contain equals signs too."""
    name, equals, group = word.partition("=")
    return (name, group) if equals and not runs_of_agent(word, dirs.runs) else (word, word)


def _require_one_agent(group: str, runs: Sequence[MeasuredRun]) -> None:
    """Refuse a group in which one agent name occurs with different settings; different names may be mixed."""
    agents = [run.spec.agent for run in runs]
    names = sorted(set(agent_names(agents)))
    if len(names) > 1 and len({agent.slug for agent in agents}) == 1:
        raise BadRequest(
            f"'{group}' holds runs of {len(names)} agents: {', '.join(names[:4])}{', ...' if len(names) > 4 else ''}.",
            hint="Compare them with each other by these names.",
        )
