"""fmlbench metrics: compute the measures of runs."""

from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, FormatOption, JsonOption, RunsArgument


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
    from fmlbench.cli.measuring import show_agent_means, show_correlations, show_measures
    from fmlbench.core.errors import BadRequest

    if by_agent and correlations:
        raise BadRequest("--by-agent and --correlations cannot be combined.", hint="Leave out one of them.")
    show = show_correlations if correlations else show_agent_means if by_agent else show_measures
    show(runs, embedder, form=form, as_json=as_json)
