"""fmlbench models: list the providers of language models, and try one."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption

app = typer.Typer(help="List the providers of language models, and try one.", rich_markup_mode=None)

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model's name with its provider's, like openai/gpt-5.")
]


@app.callback(invoke_without_command=True)
def models(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the providers of language models, and try one."""
    if context.invoked_subcommand is None:
        list_providers(as_json=as_json)


@app.command("list")
def list_providers(as_json: JsonOption = False) -> None:
    """List the providers: what is installed, whose key is set, and what mends the rest."""
    import os

    from fmlbench.cli.screen import show, show_json
    from fmlbench.reports.models import model_settings_table, provider_rows, provider_table

    rows = provider_rows(os.environ)
    if as_json:
        show_json(rows)
    else:
        show(provider_table(rows))
        show(model_settings_table())


@app.command("test")
def try_model(model: ModelArgument, as_json: JsonOption = False) -> None:
    """Ask a model to say a word: tests its key, its name and its price. Costs a few tokens."""
    from fmlbench.cli.screen import show, show_json
    from fmlbench.llm.trying import try_out
    from fmlbench.reports.models import trial_table

    trial = try_out(model)
    if as_json:
        show_json(trial)
    else:
        show(trial_table(trial))
