"""fmlbench sweep: many runs from one study file."""

from typing import Annotated

import typer
from typer.core import TyperGroup

from fmlbench.cli.options import JsonOption

StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="The path of a study file; docs/study-file.md says what is in one.")
]


class Sweeps(TyperGroup):
    """A group of commands in which 'start' can be left out."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put the word in where a study comes first."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["start", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Sweeps,
    help="Play all runs of a study: fmlbench sweep STUDY. It can be stopped and started again at will.",
    no_args_is_help=True,
)


@app.command()
def start(
    study: StudyArgument,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE", help="Where runs are played: 'local' (processes of this machine), 'ray' or 'slurm'."
        ),
    ] = "local",
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="Write the study first: a task; may be given several times."),
    ] = None,
    suite: Annotated[str, typer.Option(metavar="SUITE", help="Write the study first: all tasks of a suite.")] = "",
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="For a study that is written: an agent; may be given several times."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="For a study that is written: a model for all agents; likewise."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="For a study that is written: how many seeds; 3 if not said.")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="For a study that is written: the steps of each run; 20 if not said."),
    ] = None,
    hours: Annotated[
        float | None, typer.Option(metavar="H", help="For a study that is written: the longest each run may take.")
    ] = None,
    dollars: Annotated[
        float | None, typer.Option(metavar="D", help="For a study that is written: the most each run may spend.")
    ] = None,
    track: Annotated[
        str | None, typer.Option(metavar="TRACK", help="For a study that is written: the size; 'cpu' if not said.")
    ] = None,
    parallel: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Runs at once; overrules the study's cap.")
    ] = None,
    cap_hours: Annotated[
        float | None, typer.Option(metavar="H", help="Of all runs together; overrules the study's cap.")
    ] = None,
    cap_dollars: Annotated[
        float | None, typer.Option(metavar="D", help="Of all runs together; overrules the study's cap.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only show the runs, the time and the dollars.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play what is not finished; the word 'start' can be left out.

    Shows the plan and its estimated time and cost first. What is finished is not done again. With --task or --suite
    the study file is written first.
    """
    from fmlbench.cli.studying import StudyRequest, write_study
    from fmlbench.cli.sweeping import start_sweep

    request = StudyRequest(task or (), suite, agent or (), model or (), seeds, steps, hours, dollars, track)
    write_study(study, request)
    caps = {"parallel": parallel, "hours": cap_hours, "dollars": cap_dollars}
    start_sweep(study, engine=engine, caps=caps, only_plan=plan, as_json=as_json)


@app.command()
def status(study: StudyArgument, as_json: JsonOption = False) -> None:
    """Show where the runs of a study stand, wherever they are played.

    And, per task and agent, how much of the way to a perfect score the complete runs came on the hidden test.
    """
    from fmlbench.cli.sweeping import show_status

    show_status(study, as_json=as_json)


@app.command()
def cancel(study: StudyArgument) -> None:
    """Stop all runs of a study, wherever they are played.

    Nothing that was logged is lost; 'fmlbench sweep STUDY' goes on.
    """
    from fmlbench.cli.sweeping import cancel_runs

    cancel_runs(study)


@app.command()
def retry(study: StudyArgument) -> None:
    """Let failed and cancelled runs of a study be tried again.

    For when the reason is mended; 'fmlbench sweep STUDY' then plays them.
    """
    from fmlbench.cli.sweeping import forgive_runs

    forgive_runs(study)
