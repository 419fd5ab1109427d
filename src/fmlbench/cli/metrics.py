"""fmlbench metrics: what runs tell, in numbers."""

from typing import Annotated

import typer

from fmlbench.cli.options import EmbedderOption, FormOption, JsonOption, RunsArgument


def metrics(
    runs: RunsArgument,
    embedder: EmbedderOption = "offline",
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
    from fmlbench.cli.measuring import show_correlations, show_measures

    tell = show_correlations if correlations else show_measures
    tell(runs, embedder, form=form, as_json=as_json)
