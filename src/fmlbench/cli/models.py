"""fmlbench models: list model providers, test a model, download a model."""

import os
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.options import JsonOption
from fmlbench.cli.progress import progress_on
from fmlbench.models.local.download import fetch_model
from fmlbench.models.trial import send_trial
from fmlbench.reports.models import model_settings_table, provider_rows, provider_table, trial_table

app = typer.Typer(help="List model providers, test a model, download a model.", rich_markup_mode=None)

ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="Provider and model, such as openai/gpt-5.")]


@app.callback(invoke_without_command=True)
def models(context: typer.Context, as_json: JsonOption = False) -> None:
    """List model providers, test a model, download a model."""
    if context.invoked_subcommand is None:
        list_providers(as_json=as_json)


@app.command("list")
def list_providers(as_json: JsonOption = False) -> None:
    """List the providers: whose key is set, and how to fix what is missing."""
    rows = provider_rows(os.environ, find_dirs().models)
    if as_json:
        show_json(rows)
    else:
        show(Group(provider_table(rows), Text(), model_settings_table()))


@app.command("test")
def try_model(model: ModelArgument, as_json: JsonOption = False) -> None:
    """Send a short prompt to a model to test its key, name and price. Costs a few tokens."""
    trial = send_trial(model, find_dirs().models)
    if as_json:
        show_json(trial)
    else:
        show(trial_table(trial))


@app.command("fetch")
def fetch(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model of the provider 'local'; 'fmlbench models' lists them.")
    ],
) -> None:
    """Download a model that runs on this machine. Interrupted downloads are continued."""
    with progress_on(stderr_console()) as progress:
        file = fetch_model(model, find_dirs(), progress)
    show_lines(Text(str(file)))
