"""fmlbench sweep: execute all runs of a study file."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text
from typer.core import TyperGroup

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.errors import INTERRUPTED, TERMINATED, Terminated, print_error
from fmlbench.cli.options import JsonOption
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import sandbox_of
from fmlbench.cli.study_file import StudyRequest, write_study
from fmlbench.cli.sweep_view import forecast_of, open_view, plan_text, status_page
from fmlbench.core.errors import BadRequest
from fmlbench.core.text import counted
from fmlbench.engine.preparation import prepare
from fmlbench.scheduling.cost import makespan
from fmlbench.scheduling.engines.catalogue import open_engine
from fmlbench.scheduling.engines.engine import Engine
from fmlbench.scheduling.plan import Plan, lay_out, make_plan, require_model_for_caps
from fmlbench.scheduling.study import read_study
from fmlbench.scheduling.sweep import Sweep
from fmlbench.scheduling.sweep_status import (
    JobState,
    JobStatus,
    Status,
    cancel,
    poll_all,
    reset_failures,
    seconds_left,
    status_of,
    uncancel_plan,
)
from fmlbench.tasks.library import find_task
from fmlbench.workspace.dirs import Dirs

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
    smoke: Annotated[
        bool, typer.Option("--smoke", help="With --task/--suite: run the smoke test of the track.")
    ] = False,
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
    request = StudyRequest(task or (), suite, agent or (), model or (), seeds, steps, hours, dollars, track, smoke)
    write_study(study, request)
    caps = {"parallel": parallel, "hours": cap_hours, "dollars": cap_dollars}
    _start(study, engine=engine, caps=caps, only_plan=plan, as_json=as_json)


@app.command()
def status(study: StudyArgument, as_json: JsonOption = False) -> None:
    """Show the progress of a study's runs on any engine.

    For complete runs it also shows, per task and agent, the improvement on the hidden test: the share of the distance
    from the baseline to a perfect score.
    """
    _report(_status(_plan(study, find_dirs())), "", as_json=as_json)


@app.command("cancel")
def cancel_runs(study: StudyArgument) -> None:
    """Stop all runs of a study on any engine.

    Logged steps are kept; continue with 'fmlbench sweep STUDY'.
    """
    plan = _plan(study, find_dirs())
    lay_out(plan)
    cancelled = cancel(poll_all(plan))
    running = sum(job.state is JobState.RUNNING for job in cancelled)
    show_lines(
        Text(f"cancelled {counted(len(cancelled), 'run')}; {running} of them are running and stop within seconds")
    )


@app.command()
def retry(study: StudyArgument) -> None:
    """Reset failed and cancelled runs of a study.

    Use after fixing the cause, then rerun 'fmlbench sweep STUDY'.
    """
    reset = reset_failures(poll_all(_plan(study, find_dirs())))
    show_lines(Text(f"{counted(len(reset), 'run')} reset; execute them with: fmlbench sweep {shlex.quote(study)}"))


def _start(study: str, *, engine: str, caps: Mapping[str, float | None], only_plan: bool, as_json: bool) -> None:
    """Show the plan, then execute it."""
    dirs = find_dirs()
    plan = _plan(study, dirs, caps)
    require_model_for_caps(plan)
    if only_plan:
        # Asking a cluster for its size may start one.
        wide = open_engine(engine, plan, dirs.cache).parallel if engine == "local" else plan.study.caps.parallel or 1
        _show_plan(plan, wide, as_json=as_json)
        return
    opened = open_engine(engine, plan, dirs.cache)
    _prepare(plan, dirs)
    lay_out(plan)
    uncancel_plan(plan)
    stderr_console().print(plan_text(plan, poll_all(plan), opened.parallel))
    reached = _run_sweep(Sweep(plan, opened), opened, study)
    status = _status(plan)
    _report(status, reached, as_json=as_json)
    if status.failed:
        message = f"{len(status.failed)} of {status.runs} runs failed; the first: {status.failed[0].reason}"
        hint = f"Fix the cause, then: fmlbench sweep retry {shlex.quote(study)}"
        raise typer.Exit(print_error(message, hint))


def _plan(study: str, dirs: Dirs, overrides: Mapping[str, float | None] | None = None) -> Plan:
    read = read_study(Path(study))
    given = {name: cap for name, cap in (overrides or {}).items() if cap is not None}
    for name, cap in given.items():
        if cap <= 0:
            option = f"--{'' if name == 'parallel' else 'cap-'}{name}"
            raise BadRequest(f"{option} must be positive, got {cap:g}.", hint=f"Give {option} a number above 0.")
    return make_plan(read.model_copy(update={"caps": read.caps.model_copy(update=given)}), dirs.runs)


def _show_plan(plan: Plan, parallel: int, *, as_json: bool) -> None:
    jobs = poll_all(plan)
    if as_json:
        show_json(forecast_of(plan, jobs, parallel))
    else:
        show(plan_text(plan, jobs, parallel))


def _prepare(plan: Plan, dirs: Dirs) -> None:
    """Prepare every task once, before parallel runs need it."""
    study, sandbox = plan.study, sandbox_of(plan.runs[0].spec.isolation)
    names = dict.fromkeys(run.spec.task for run in plan.runs)
    with progress_on(stderr_console()) as progress:
        for name in names:
            prepare(find_task(name), study.track, smoke=study.smoke, dirs=dirs, sandbox=sandbox, progress=progress)


def _run_sweep(sweep: Sweep, engine: Engine, study: str) -> str:
    """Run the sweep; Ctrl-C stops it cleanly."""
    try:
        with open_view(stderr_console()) as watch:
            sweep.watch = watch
            return sweep.run()
    except (KeyboardInterrupt, Terminated) as stop:
        typer.echo("stopping ...", err=True)
        engine.close()
        typer.echo(f"stopped; continue with: fmlbench sweep {shlex.quote(study)}", err=True)
        raise typer.Exit(TERMINATED if isinstance(stop, Terminated) else INTERRUPTED) from stop


def _status(plan: Plan) -> Status:
    jobs = poll_all(plan)
    return status_of(plan, jobs, _seconds_left(jobs))


def _seconds_left(jobs: list[JobStatus]) -> float | None:
    running = sum(job.state is JobState.RUNNING for job in jobs)
    left = seconds_left(jobs)
    return None if left is None else makespan(left, max(1, running))


def _report(status: Status, reached: str, *, as_json: bool) -> None:
    if as_json:
        show_json(status)
    else:
        show(status_page(status, reached))
