"""fmlbench run: run an agent on a task."""

from typing import Annotated

import typer
from rich.console import Console

from fmlbench.cli.console import show, show_json, stderr_console
from fmlbench.cli.dirs import find_dirs
from fmlbench.cli.errors import resumable
from fmlbench.cli.live_view import RunView
from fmlbench.cli.options import JsonOption, SmokeOption, TaskArgument, TrackOption, UnsealedOption
from fmlbench.cli.progress import progress_on
from fmlbench.cli.requests import RunRequest, read_settings, require_agent, sandbox_of
from fmlbench.engine.run import Run, create_run, execute_run
from fmlbench.records.folder import RunFolder, find_run
from fmlbench.reports.summary import RunSummary, summarise, task_of
from fmlbench.reports.terminal import render_summary
from fmlbench.tasks.library import find_task


def run(
    task: TaskArgument,
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The agent: a name ('fmlbench agents' lists them) or a Python file that defines one.",
        ),
    ] = "greedy",
    model: Annotated[
        str,
        typer.Option(
            metavar="MODEL", help="Language model that writes the code: provider/name; see 'fmlbench models'."
        ),
    ] = "",
    steps: Annotated[
        int, typer.Option(metavar="N", help="Number of proposals to test. The baseline is not counted.")
    ] = 20,
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed for the search and for data sampling.")] = 0,
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    hours: Annotated[
        float | None,
        typer.Option(metavar="H", help="Stop the search after this many hours of proposing and experiments."),
    ] = None,
    dollars: Annotated[
        float | None,
        typer.Option(
            metavar="D", help="Cap on the total cost of model calls. A call that could exceed it is not made."
        ),
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Cap on input plus output tokens. A call that could exceed it is not made."),
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Replay the recorded model responses of this run; needs no key and costs nothing."
        ),
    ] = None,
    retest: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Number of fresh seeds on which the best step is retested at the end."),
    ] = 3,
    label: Annotated[
        str, typer.Option(metavar="NAME", help="Suffix for the run name, to allow several runs with identical options.")
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the agent; 'fmlbench agents' lists them."),
    ] = None,
    cmd: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="With --agent command: the command that starts your program.")
    ] = None,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run an agent on a task.

    The baseline is scored first, then the agent's steps, and at the end the best step on the sealed test. Runs can be
    interrupted at any time; continue with: fmlbench resume RUN.
    """
    dirs = find_dirs()
    request = RunRequest(
        agent=agent,
        steps=steps,
        seed=seed,
        track=track,
        smoke=smoke,
        hours=hours,
        dollars=dollars,
        tokens=tokens,
        model=model,
        replay=find_run(replay, dirs.runs) if replay else None,
        retest=retest,
        label=label,
        settings=read_settings(settings or []) | ({"cmd": cmd} if cmd is not None else {}),
        unsealed=unsealed,
    )
    folder = find_task(task)
    spec = request.spec(folder)
    # Checked before the run's folder is created, so that a run that cannot start leaves nothing behind.
    sandbox = sandbox_of(spec.isolation)
    require_agent(spec, request.entry, dirs)
    created = create_run(spec, task=folder, agent=request.entry, sandbox=sandbox, dirs=dirs)
    report(created.folder, execute_watched(created, stderr_console()), as_json=as_json)


def execute_watched(run: Run, console: Console) -> RunSummary:
    """Execute a run to its end with a live view, and summarise it."""
    view = RunView(console, run.spec, run.state.task or run.task.task, run.state)
    with resumable(run.spec.run_id), progress_on(console) as progress, view:
        state = execute_run(run, progress=progress, watch=view)
    return summarise(run.spec, state, task_of(run.spec, state))


def report(folder: RunFolder, summary: RunSummary, *, as_json: bool) -> None:
    """Print the summary of a run."""
    if as_json:
        show_json({"folder": folder.path, "summary": summary})
    else:
        show(render_summary(summary, place=str(folder.path)))
