"""fmlbench redteam: try to cheat."""

from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption, TaskArgument, TrackOption, UnsealedOption


def redteam(
    task: TaskArgument,
    attacks: Annotated[
        list[str] | None,
        typer.Option(
            "--attack", metavar="NAME", help="Only this attack; may be given again. The full table names all."
        ),
    ] = None,
    track: TrackOption = "cpu",
    quick: Annotated[bool, typer.Option("--quick", help="Only the few attacks that every task is tried with.")] = False,
    unsealed: UnsealedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Try to cheat on a task in every known way.

    Every attack is a step of a real run. Prints what it tried, how it ended and what stopped it. Exits with 1 if one
    of them earned anything, reached what it should not, or left something behind.
    """
    from fmlbench.cli.attacking import attack_folder
    from fmlbench.tasks.library import find_task

    if not attack_folder(find_task(task), track, names=attacks or [], quick=quick, unsealed=unsealed, as_json=as_json):
        raise typer.Exit(1)
