"""fmlbench metrics: what runs tell, in numbers."""

from fmlbench.cli.options import EmbedderOption, FormOption, JsonOption, RunsArgument


def metrics(
    runs: RunsArgument,
    embedder: EmbedderOption = "offline",
    form: FormOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Measure runs: how far, how reliably, how soon, how widely, at what cost.

    docs/metrics.md says what each measure is. Hidden test scores are used only once a run is over.
    """
    from fmlbench.cli.measuring import show_measures

    show_measures(runs, embedder, form=form, as_json=as_json)
