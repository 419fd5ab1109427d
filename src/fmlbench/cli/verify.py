"""fmlbench verify: check a run's scores by grading its answers again."""

from pathlib import Path
from typing import Annotated

import typer

from fmlbench.cli.options import JsonOption


def verify(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN|FILE", help="A run ('fmlbench runs' lists them), or a file that 'fmlbench export' made."
        ),
    ],
    task: Annotated[
        str,
        typer.Option(
            metavar="FOLDER", help="The folder of the run's task, where the run names one that is not installed."
        ),
    ] = "",
    secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The secret of the machine that made the run, if it was not this one ('CACHE/secret')."
        ),
    ] = None,
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where the file's embedder is found, such as 'graphcodebert:FOLDER'; else by the name in the file.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Grade a run's stored answers again.

    It says whether every score is reproduced, and of a file every metric too, and exits with 1 if one is not or cannot
    be checked. Hidden scores are checked once the run is over. Whoever holds the secret could have made up the answers,
    so this shows that a record is consistent, not that its owner was honest.
    """
    from fmlbench.cli.exporting import verify_word

    verify_word(run, task, secret, embedder, as_json=as_json)
