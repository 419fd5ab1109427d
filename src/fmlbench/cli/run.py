"""fmlbench run: let an agent work on a task."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, SmokeOption, TaskArgument, TrackOption, UnsealedOption, sized


def run(
    task: TaskArgument,
    agent: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who does the research: 'fmlbench agents' lists them; or a Python file that defines one.",
        ),
    ] = "greedy",
    model: Annotated[
        str,
        typer.Option(metavar="MODEL", help="A language model writes the code: provider/name; see 'fmlbench models'."),
    ] = "",
    steps: Annotated[
        int, typer.Option(metavar="N", help="How many proposals it may have tested. The baseline is free.")
    ] = 20,
    seed: Annotated[
        int, typer.Option(metavar="S", help="Decides all dice; the same seed gives the same draws of data.")
    ] = 0,
    track: TrackOption = "cpu",
    smoke: SmokeOption = False,
    hours: Annotated[
        float | None, typer.Option(metavar="H", help="Stop after so many hours of proposing and experimenting.")
    ] = None,
    dollars: Annotated[
        float | None,
        typer.Option(metavar="D", help="Stop before a call of the model could cost more than this in all."),
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Stop before the model could read and write more than this in all.")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Take the model's answers from this run's record; needs no key and costs nothing."
        ),
    ] = None,
    retest: Annotated[
        int, typer.Option(metavar="N", min=0, help="On how many fresh seeds the best step is tested again at the end.")
    ] = 3,
    label: Annotated[
        str, typer.Option(metavar="NAME", help="Any word; tells apart runs that are asked for in the same words.")
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the agent; 'fmlbench agents' lists them."),
    ] = None,
    cmd: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="With --agent command: what starts your program.")
    ] = None,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Let an agent work on a task.

    The baseline is scored first, then the agent's steps, and at the end the best step on the sealed test. A run can be
    stopped at any time and gone on with: fmlbench resume RUN.
    """
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.cli.playing import play_and_report
    from fmlbench.cli.requests import RunRequest, read_settings, require_agent, sandbox_of
    from fmlbench.engine.run import create
    from fmlbench.records.folder import find_run
    from fmlbench.tasks.library import find_task

    dirs = find_dirs()
    request = RunRequest(
        agent=agent,
        steps=steps,
        seed=seed,
        track=sized(track, smoke=smoke),
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
    spec = request.spec(find_task(task))
    # Before the run's folder is made: a run that cannot start should leave nothing behind.
    sandbox_of(spec.isolation)
    require_agent(spec, dirs)
    play_and_report(create(spec, dirs), dirs, as_json=as_json)
