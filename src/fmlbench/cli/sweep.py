"""fmlbench sweep: execute all runs of a study file."""

from typing import Annotated

import typer
from typer.core import TyperGroup

from fmlbench.cli.options import JsonOption

StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="Path of a study file; docs/study-file.md describes its fields.")
]


class Sweeps(TyperGroup):
    """A command group whose default command is 'start'."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Insert 'start' if the first argument is not a command."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["start", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Sweeps,
    help="Execute all runs of a study: fmlbench sweep STUDY. Sweeps can be interrupted and restarted at any time.",
    no_args_is_help=True,
)


@app.command()
def start(
    study: StudyArgument,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE", help="Where runs execute: 'local' (processes on this machine), 'ray' or 'slurm'."
        ),
    ] = "local",
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="Write the study file first: task to include (repeatable)."),
    ] = None,
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="Write the study file first: include all tasks of this suite.")
    ] = "",
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --task/--suite: agent to include (repeatable)."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="With --task/--suite: model for all agents (repeatable)."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --task/--suite: number of seeds; default: 3.")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="With --task/--suite: steps per run; default: 20."),
    ] = None,
    hours: Annotated[
        float | None, typer.Option(metavar="H", help="With --task/--suite: cap on the hours of each run.")
    ] = None,
    dollars: Annotated[
        float | None, typer.Option(metavar="D", help="With --task/--suite: cap on the dollars of each run.")
    ] = None,
    track: Annotated[
        str | None, typer.Option(metavar="TRACK", help="With --task/--suite: track; default: 'cpu'.")
    ] = None,
    parallel: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of parallel runs; overrides the study's cap.")
    ] = None,
    cap_hours: Annotated[
        float | None,
        typer.Option(metavar="H", help="Cap on the hours of all runs together; overrides the study's cap."),
    ] = None,
    cap_dollars: Annotated[
        float | None,
        typer.Option(metavar="D", help="Cap on the dollars of all runs together; overrides the study's cap."),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only show the number of runs, the estimated time and the cost.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Execute all unfinished runs; the word 'start' can be left out.

    Shows the plan with its estimated time and cost first. Finished runs are not repeated. With --task or --suite the
    study file is written first.
    """
    from fmlbench.cli.studying import StudyRequest, write_study
    from fmlbench.cli.sweeping import start_sweep

    request = StudyRequest(task or (), suite, agent or (), model or (), seeds, steps, hours, dollars, track)
    write_study(study, request)
    caps = {"parallel": parallel, "hours": cap_hours, "dollars": cap_dollars}
    start_sweep(study, engine=engine, caps=caps, only_plan=plan, as_json=as_json)


@app.command()
def status(study: StudyArgument, as_json: JsonOption = False) -> None:
    """Show the progress of a study's runs on any engine.

    For complete runs it also shows, per task and agent, the improvement on the hidden test: the share of the distance
    from the baseline to a perfect score.
    """
    from fmlbench.cli.sweeping import show_status

    show_status(study, as_json=as_json)


@app.command()
def cancel(study: StudyArgument) -> None:
    """Stop all runs of a study on any engine.

    Logged steps are kept; continue with 'fmlbench sweep STUDY'.
    """
    from fmlbench.cli.sweeping import cancel_runs

    cancel_runs(study)


@app.command()
def retry(study: StudyArgument) -> None:
    """Reset failed and cancelled runs of a study.

    Use after fixing the cause, then rerun 'fmlbench sweep STUDY'.
    """
    from fmlbench.cli.sweeping import retry_runs

    retry_runs(study)
