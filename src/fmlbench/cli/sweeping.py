"""Start, watch and control a sweep."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import typer
from rich.text import Text

from fmlbench.cli.console import show, show_json, show_lines, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.errors import INTERRUPTED, TERMINATED, Terminated, print_error
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import sandbox_of
from fmlbench.cli.sweep_tables import forecast_of, plan_text, status_page
from fmlbench.cli.sweep_view import watching
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


def start_sweep(study: str, *, engine: str, caps: Mapping[str, float | None], only_plan: bool, as_json: bool) -> None:
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


def show_status(study: str, *, as_json: bool) -> None:
    """Show the status of a study's runs."""
    _report(_status(_plan(study, find_dirs())), "", as_json=as_json)


def cancel_runs(study: str) -> None:
    """Stop the runs of a study."""
    plan = _plan(study, find_dirs())
    lay_out(plan)
    cancelled = cancel(poll_all(plan))
    running = sum(job.state is JobState.RUNNING for job in cancelled)
    show_lines(
        Text(f"cancelled {counted(len(cancelled), 'run')}; {running} of them are running and stop within seconds")
    )


def retry_runs(study: str) -> None:
    """Reset failed and cancelled runs."""
    reset = reset_failures(poll_all(_plan(study, find_dirs())))
    show_lines(Text(f"{counted(len(reset), 'run')} reset; execute them with: fmlbench sweep {shlex.quote(study)}"))


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
    sandbox = sandbox_of(plan.runs[0].spec.isolation)
    names = dict.fromkeys(run.spec.task for run in plan.runs)
    with progress_on(stderr_console()) as progress:
        for name in names:
            prepare(find_task(name), plan.study.track, dirs=dirs, sandbox=sandbox, progress=progress)


def _run_sweep(sweep: Sweep, engine: Engine, study: str) -> str:
    """Run the sweep; Ctrl-C stops it cleanly."""
    try:
        with watching(stderr_console()) as watch:
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
