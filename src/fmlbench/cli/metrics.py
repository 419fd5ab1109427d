"""fmlbench metrics: what runs tell, in numbers."""

from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, FormOption, JsonOption, RunsArgument


def metrics(
    runs: RunsArgument,
    embedder: EmbedderOption = "offline",
    by_agent: Annotated[
        bool,
        typer.Option("--by-agent", help="Show means over seeds with their intervals instead, per task and agent."),
    ] = False,
    correlations: Annotated[
        bool,
        typer.Option("--correlations", help="Show how each measure goes with the improvement over these runs instead."),
    ] = False,
    form: FormOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Measure what runs reached, how they searched and what it cost.

    docs/metrics.md says what each measure is. Hidden test scores are used only once a run is over.
    """
    from fmlbench.cli.measuring import show_correlations, show_measures, show_rounds
    from fmlbench.core.errors import BadRequest

    if by_agent and correlations:
        raise BadRequest("--by-agent and --correlations are two tables.", hint="Ask for one of them at a time.")
    tell = show_correlations if correlations else show_rounds if by_agent else show_measures
    tell(runs, embedder, form=form, as_json=as_json)
