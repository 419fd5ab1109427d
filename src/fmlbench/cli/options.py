"""Options that several commands share, worded once."""

from typing import Annotated

import typer

TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="A task's name ('fmlbench tasks' lists them) or the path of its folder.")
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run's name or the beginning of it ('fmlbench runs' lists them), or the path of its folder.",
    ),
]
TrackOption = Annotated[
    str,
    typer.Option(
        "--track", metavar="TRACK", help="The size to work at: 'cpu' runs on a laptop; 'fmlbench tasks' lists a task's."
    ),
]
UnsealedOption = Annotated[
    bool,
    typer.Option(
        "--unsealed",
        help="Run candidates without a sandbox. They could then cheat, so every score is marked UNSEALED.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs instead, and nothing else on stdout.")
]
