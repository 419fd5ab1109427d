"""fmlbench metrics: compute the measures of runs."""

from collections.abc import Sequence
from typing import Annotated

import typer

from fmlbench.cli.console import read_format, show_json, show_table
from fmlbench.cli.options import EmbedderOption, FormatOption, JsonOption, RunsArgument
from fmlbench.cli.selection import group_by_agent, measure_selected
from fmlbench.core.errors import BadRequest
from fmlbench.metrics.associations import associate
from fmlbench.metrics.measurement import MeasuredRun
from fmlbench.reports.agent_tables import agent_task_data, agent_task_scores, agent_task_table
from fmlbench.reports.comparison import association_table
from fmlbench.reports.measures import measure_table, run_data
from fmlbench.reports.table import TableFormat


def metrics(
    runs: RunsArgument,
    embedder: EmbedderOption = "offline",
    by_agent: Annotated[
        bool,
        typer.Option("--by-agent", help="Show means over seeds with confidence intervals instead, per task and agent."),
    ] = False,
    correlations: Annotated[
        bool,
        typer.Option(
            "--correlations", help="Show the correlation of each measure with the improvement over these runs instead."
        ),
    ] = False,
    form: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Compute measures of runs: scores, search behaviour and cost.

    docs/metrics.md defines each measure. Hidden test scores are used only after a run is finished.
    """
    if by_agent and correlations:
        raise BadRequest("--by-agent and --correlations cannot be combined.", hint="Leave out one of them.")
    wanted = read_format(form)
    measured = measure_selected(runs, embedder)
    if correlations:
        _show_correlations(measured, wanted, as_json=as_json)
    elif by_agent:
        _show_agent_means(measured, wanted, as_json=as_json)
    else:
        _show_measures(measured, wanted, as_json=as_json)


def _show_measures(runs: Sequence[MeasuredRun], wanted: TableFormat, *, as_json: bool) -> None:
    """Print all measures of the runs."""
    if as_json:
        show_json(runs)
    else:
        show_table(run_data(runs) if wanted is TableFormat.CSV else measure_table(runs), wanted)


def _show_agent_means(runs: Sequence[MeasuredRun], wanted: TableFormat, *, as_json: bool) -> None:
    """Print means over seeds, per task and agent."""
    scores = agent_task_scores(group_by_agent(runs))
    if as_json:
        show_json(scores)
    else:
        show_table(agent_task_data(scores) if wanted is TableFormat.CSV else agent_task_table(scores, runs), wanted)


def _show_correlations(runs: Sequence[MeasuredRun], wanted: TableFormat, *, as_json: bool) -> None:
    """Print the correlation of each measure with the improvement."""
    found = associate(runs)
    if as_json:
        show_json(found)
        return
    if not found:
        raise BadRequest("Too few runs for a correlation.", hint="Select at least four finished runs of one task.")
    show_table(association_table(found), wanted)
