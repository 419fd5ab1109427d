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
    as_json: JsonOption = False,
) -> None:
    """Grade a run's stored answers again.

    It says whether every score and every metric is reproduced, and ends with 1 if one is not.
    """
    from fmlbench.cli.exporting import verify_word

    verify_word(run, secret, as_json=as_json)
