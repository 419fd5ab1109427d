"""fmlbench redteam: run known attacks on a task."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, TaskArgument, TrackOption, UnsealedOption


def redteam(
    task: TaskArgument,
    attacks: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            metavar="NAME",
            help="Run only this attack (repeatable). The output without this option lists all attacks.",
        ),
    ] = None,
    track: TrackOption = "cpu",
    quick: Annotated[
        bool, typer.Option("--quick", help="Run only the few attacks that 'fmlbench tasks check' uses.")
    ] = False,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run every known attack on a task.

    Every attack is a step of a real run. Prints its outcome, its score and what stopped it. Exits with 1 if an attack
    improved its score, reached anything forbidden, or left files or processes behind.
    """
    from fmlbench.cli.attacking import attack_folder
    from fmlbench.tasks.library import find_task

    if not attack_folder(find_task(task), track, names=attacks or [], quick=quick, unsealed=unsealed, as_json=as_json):
        raise typer.Exit(1)
