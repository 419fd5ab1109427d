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

    It says whether every score is reproduced, and of a file every metric too, and ends with 1 if one is not. Hidden
    scores are checked once the run is over.
    """
    from fmlbench.cli.exporting import verify_word

    verify_word(run, secret, embedder, as_json=as_json)
