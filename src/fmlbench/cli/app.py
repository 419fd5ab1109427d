"""The command line: one thin file per command.

Commands import their dependencies when they run, so that --help starts fast.
"""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from fmlbench import __version__
from fmlbench.cli.agents import agents
from fmlbench.cli.bench import bench
from fmlbench.cli.brief import brief
from fmlbench.cli.compare import compare
from fmlbench.cli.doctor import doctor
from fmlbench.cli.errors import exit_code_of
from fmlbench.cli.export import export
from fmlbench.cli.metrics import metrics
from fmlbench.cli.models import app as models
from fmlbench.cli.redteam import redteam
from fmlbench.cli.report import report
from fmlbench.cli.resume import resume
from fmlbench.cli.run import run
from fmlbench.cli.runs import runs
from fmlbench.cli.show import show
from fmlbench.cli.sweep import app as sweep
from fmlbench.cli.tasks import app as tasks
from fmlbench.cli.verify import verify

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


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


_COMMANDS = (
    *(run, resume, show, runs, brief, agents, bench),
    *(metrics, compare, report, export, verify),
    *(redteam, doctor),
)
for _command in _COMMANDS:
    app.command()(_command)
app.add_typer(sweep, name="sweep")
app.add_typer(tasks, name="tasks")
app.add_typer(models, name="models")
