"""The command line: a group that imports a command only when it runs.

The command ``name`` is the function or the Typer group ``app`` of the module ``fmlbench.cli.name``. The overview needs
only the table below, so that --help starts fast.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_group

from fmlbench import __version__
from fmlbench.cli.errors import exit_code_of

COMMANDS = {
    "run": "Run an agent on a task.",
    "resume": "Continue an interrupted run.",
    "show": "Show the summary and the steps of a run.",
    "runs": "List the runs with their state and scores.",
    "brief": "Print the brief of a task exactly as agents receive it.",
    "agents": "List the agents, or show one with its settings.",
    "bench": "Run an agent on all tasks of a suite and print a summary.",
    "metrics": "Compute measures of runs: scores, search behaviour and cost.",
    "compare": "Compare agents: better, worse or undecided.",
    "report": "Write an HTML report of runs: one file that works offline.",
    "export": "Pack a run into one file.",
    "verify": "Regrade a run's stored answers.",
    "redteam": "Run every known attack on a task.",
    "doctor": "Check what works on this machine and what is missing.",
    "sweep": "Execute all runs of a study: fmlbench sweep STUDY.",
    "tasks": "List, show, create, prepare and check tasks.",
    "models": "List model providers, test a model, download a model.",
}
"""Each command with the first sentence of its help."""


def _new_app(group: type[TyperGroup] = TyperGroup) -> typer.Typer:
    return typer.Typer(cls=group, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def load_command(name: str) -> TyperGroup:
    """A group with one command, which is imported."""
    module = import_module(f"fmlbench.cli.{name}")
    app = _new_app()
    if hasattr(module, "app"):
        app.add_typer(module.app, name=name)
    else:
        app.command(name)(getattr(module, name))
    return get_group(app)


class LazyGroup(TyperGroup):
    """A group whose commands are placeholders until one is called."""

    def resolve_command(self, ctx: typer.Context, args: list[str]):  # type: ignore[override]
        """Replace the placeholder of the called command with the command."""
        if args[0] in COMMANDS:
            self.commands.update(load_command(args[0]).commands)
        return super().resolve_command(ctx, args)


app = _new_app(LazyGroup)
for _name, _line in COMMANDS.items():
    app.command(_name, help=_line)(lambda: None)


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run_cli(sys.argv[1:]))


def run_cli(words: Sequence[str]) -> int:
    """Run ``fmlbench`` with these arguments and return the exit code."""
    return exit_code_of(lambda: app(words, prog_name="fmlbench", standalone_mode=False))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fmlbench {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(  # pyright: ignore[reportUnusedFunction]
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A sealed benchmark of machine-learning research agents: their results and how they searched."""
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
